"""Addresses that a webhook may have."""

from __future__ import annotations

import ipaddress

import pytest

from ladder.errors import UserError
from ladder.webhooks import public_addresses as addresses
from ladder.webhooks.public_addresses import (
    AddressPolicy,
    Target,
    check_addresses,
    check_webhook,
    target_of,
    why_refused,
)

STRICT, OPEN = AddressPolicy(), AddressPolicy(http=True, loopback=True)
REFUSED = (
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.254", "169.254.169.254", "172.16.0.1",
    "172.31.255.255",
    "192.0.2.1", "192.168.1.1", "198.18.0.1", "203.0.113.7", "224.0.0.1", "239.255.255.255", "240.0.0.1",
    "255.255.255.255", "::", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::8.8.8.8",
    "64:ff9b::808:808%eth0",
    "64:ff9b::", "64:ff9b::10.0.0.7", "64:ff9b::127.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b::192.168.1.1",
    "64:ff9b::224.0.0.1", "64:ff9b::100.64.0.1", "64:ff9b::255.255.255.255", "64:ff9b::1:8.8.8.8",
    "2a00:1450::5efe:10.0.0.7", "2a00:1450::200:5efe:8.8.8.8", "2002:808:808::", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "64:ff9b:1::a00:1", "100::1", "2001::1", "2001:db8::1", "2002:a00:1::", "fc00::1", "fd12:3456::1", "fe80::1",
    "fe80::1%eth0", "2a00:1450::1%eth0", "fec0::1", "ff02::1", "4000::1",
)  # fmt: skip
PUBLIC = (
    "64:ff9b::808:808",
    "64:ff9b::1.1.1.1",
    "8.8.8.8",
    "1.1.1.1",
    "100.63.255.255",
    "100.128.0.1",
    "172.32.0.1",
    "2a00:1450:4001::1",
    "2606:4700::1111",
)


@pytest.mark.parametrize("policy", [STRICT, OPEN], ids=["as by default", "with everything allowed"])
@pytest.mark.parametrize("address", REFUSED)
def test_no_message_goes_to_a_machine_near_the_ladder(address: str, policy: AddressPolicy) -> None:
    assert why_refused(ipaddress.ip_address(address), policy)


@pytest.mark.parametrize("address", PUBLIC)
def test_messages_go_to_public_addresses(address: str) -> None:
    assert why_refused(ipaddress.ip_address(address), STRICT) is None


def test_behind_nat64_the_address_that_it_leads_to_decides_and_is_named() -> None:
    target = target_of("https://hooks.example/")
    assert check_addresses(target, ["64:ff9b::808:808", "8.8.8.8"], STRICT)
    with pytest.raises(UserError, match=r"64:ff9b::a00:7: .* 10\.0\.0\.7, a private"):
        check_addresses(target, ["64:ff9b::808:808", "64:ff9b::10.0.0.7"], STRICT)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.9.10", "::1"])
def test_this_machine_is_reached_only_where_the_organiser_says_so(address: str) -> None:
    assert "webhook_loopback" in str(why_refused(ipaddress.ip_address(address), AddressPolicy(http=True)))
    assert why_refused(ipaddress.ip_address(address), AddressPolicy(loopback=True)) is None


def test_one_address_that_is_refused_refuses_the_name() -> None:
    target = target_of("https://hooks.example/")
    assert [str(each) for each in check_addresses(target, ["8.8.8.8", "8.8.8.8", "2606:4700::1111"], STRICT)] == [
        "8.8.8.8",
        "2606:4700::1111",
    ]
    with pytest.raises(UserError, match=r"hooks.example, .* 10.0.0.7: a private"):
        check_addresses(target, ["8.8.8.8", "10.0.0.7"], STRICT)
    with pytest.raises(UserError, match="has no address"):
        check_addresses(target, [], STRICT)


def test_http_is_for_this_machine_or_needs_the_setting() -> None:
    target = target_of("http://hooks.example/")
    with pytest.raises(UserError, match="webhook_http = true"):
        check_addresses(target, ["8.8.8.8"], AddressPolicy(loopback=True))
    with pytest.raises(UserError, match="webhook_http = true"):
        check_addresses(target, ["127.0.0.1", "8.8.8.8"], AddressPolicy(loopback=True))
    assert check_addresses(target, ["8.8.8.8"], AddressPolicy(http=True))
    assert check_addresses(target, ["127.0.0.1"], AddressPolicy(loopback=True))


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://Hooks.example", Target("https", "hooks.example", 443, "/")),
        ("http://[2606:4700::1111]:8080/a/b?c=d&e", Target("http", "2606:4700::1111", 8080, "/a/b?c=d&e")),
    ],
)
def test_an_address_is_read(url: str, target: Target) -> None:
    assert target_of(url) == target


def test_the_header_of_the_host_names_the_port_where_it_is_not_the_usual_one() -> None:
    assert target_of("https://hooks.example:443/").authority == "hooks.example"
    assert target_of("https://hooks.example:8443/").authority == "hooks.example:8443"
    assert target_of("http://[2606:4700::1111]/").authority == "[2606:4700::1111]"


@pytest.mark.parametrize(
    "url",
    [
        "", "hooks.example", "ftp://hooks.example/", "file:///etc/passwd", "https://", "https:///x", "https://a:b/",
        "https://a:99999/", "https://[::1/", "https://ada@hooks.example/", "https://ada:secret@hooks.example/",
        "https://hooks.example/#part", "https://hooks.example/ x", "https://hooks.example/\r\nHost: other",
        "https://hooks.example/猪", "https://hooks.example/\x7f",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_in_a_sentence(url: str) -> None:
    with pytest.raises(UserError) as refused:
        target_of(url)
    assert "secret" not in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("host", ["2130706433", "127.1", "0x7f000001", "0", "localhost", "[::1]", "[::ffff:7f00:1]"])
def test_a_new_webhook_is_resolved_as_the_connection_would_be(host: str) -> None:
    with pytest.raises(UserError, match=r"not sent to|no address"):
        check_webhook(f"https://{host}/", STRICT)


def test_a_long_address_is_refused_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "resolved", lambda target: pytest.fail("it was asked"))
    with pytest.raises(UserError, match="at most 2000 characters"):
        check_webhook("https://hooks.example/" + 2000 * "x", STRICT)
