// A Pigpen bot in Rust: ducks tricks, sheds dangerous cards, exposes nothing, never gives the moon away.
//
// Your game goes into decide and what it calls. The program reads a line of JSON for each question, and writes one for each
// answer; Pigpen's docs/lines.md lists the fields. Standard output is for answers alone: print with eprintln!.

use std::io::{self, BufRead, Write};

// ---- Lines. A field's value begins behind its name, and has no spaces around it; lists are flat.

fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let name = format!("\"{}\":", name);
    let rest = &line[line.find(&name).expect("a field of this line") + name.len()..];
    let end = match rest.as_bytes()[0] {
        b'[' => rest.find(']'),
        b'"' => rest[1..].find('"').map(|end| end + 1),
        _ => rest.find(|letter| letter == ',' || letter == '}'),
    };
    rest[..end.expect("the end of a field")].trim_start_matches(|letter| letter == '[' || letter == '"')
}

fn cards<'a>(line: &'a str, name: &str) -> Vec<&'a str> {
    field(line, name).split(',').map(|card| card.trim_matches('"')).filter(|card| !card.is_empty()).collect()
}

// ---- The game. A card is its name: rank, then suit.

fn suit(card: &str) -> u8 {
    card.as_bytes()[1]
}

fn rank(card: &str) -> usize {
    2 + "23456789TJQKA".find(&card[..1]).expect("a rank")
}

fn danger(card: &str) -> usize {
    match card {
        "QS" => 100,
        _ if suit(card) == b'H' => 20 + rank(card),
        _ => rank(card),
    }
}

fn play_card<'a>(legal: &[&'a str], trick: &[&str]) -> &'a str {
    let lowest = *legal.iter().min_by_key(|card| rank(card)).expect("a card");
    if trick.is_empty() {
        return lowest;
    }
    let led = suit(trick[0]);
    if suit(legal[0]) != led {
        return legal.iter().max_by_key(|card| danger(card)).expect("a card");
    }
    let winning = trick.iter().filter(|card| suit(card) == led).map(|card| rank(card)).max().expect("a card");
    legal.iter().filter(|card| rank(card) < winning).max_by_key(|card| rank(card)).unwrap_or(&lowest)
}

/// Gives the field of the answer to a request.
fn decide(request: &str) -> String {
    let mut legal = cards(request, "legal");
    match field(request, "phase") {
        "pass" => {
            legal.sort_by_key(|card| std::cmp::Reverse(rank(card)));
            legal.truncate(field(request, "pass_count").parse().expect("a number"));
            format!("\"pass\":[\"{}\"]", legal.join("\",\""))
        }
        "expose" => "\"expose\":[]".to_string(),
        "moon" => "\"moon\":\"subtract\"".to_string(),
        _ => format!("\"card\":\"{}\"", play_card(&legal, &cards(request, "trick"))),
    }
}

fn main() -> io::Result<()> {
    let mut out = io::stdout();
    writeln!(out, "{{\"protocol\":1,\"name\":\"rust\"}}")?;
    out.flush()?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        match field(&line, "type") {
            "request" => {
                writeln!(out, "{{\"decision\":{},{}}}", field(&line, "decision"), decide(&line))?;
                out.flush()?;
            }
            "fault" => eprintln!("Fault: {}", field(&line, "message")),
            _ => {}
        }
    }
    Ok(())
}
