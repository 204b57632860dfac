// A Pigpen bot in C++: ducks tricks, sheds dangerous cards, exposes nothing, never gives the moon away.
//
// Your game goes into the first half, `decide` and what it calls; the second half talks to the referee. Write to stdout and
// stderr as you like: the match goes over a socket. The protocol is described in Pigpen's docs/protocol.md.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "pigpen/v1/referee.grpc.pb.h"

using namespace pigpen::v1;

// ---- The game. A card is a number: suit × 13 + rank − 2, so 2C is 0 and AS is 51.

using Cards = std::vector<int>;

constexpr int HEARTS = 2, PIG = 49;  // QS

int suit(int card) { return card / 13; }
int rank(int card) { return card % 13; }
int danger(int card) { return card == PIG ? 100 : suit(card) == HEARTS ? 20 + rank(card) : rank(card); }

Cards cards_in(const std::string& bytes) { return Cards(bytes.begin(), bytes.end()); }

int highest(const Cards& cards, int (*key)(int)) {
  return *std::max_element(cards.begin(), cards.end(), [key](int one, int other) { return key(one) < key(other); });
}

int lowest(const Cards& cards) {
  return *std::min_element(cards.begin(), cards.end(), [](int one, int other) { return rank(one) < rank(other); });
}

Cards trick_on_the_table(const View& view, int players) {
  Cards plays = cards_in(view.plays());
  return Cards(plays.end() - plays.size() % players, plays.end());
}

int play_card(const Cards& legal, const Cards& trick) {
  if (trick.empty()) return lowest(legal);
  const int led = suit(trick.front());
  if (suit(legal.front()) != led) return highest(legal, danger);
  int winning = -1;
  for (int card : trick)
    if (suit(card) == led) winning = std::max(winning, card);
  Cards below;
  for (int card : legal)
    if (card < winning) below.push_back(card);
  return below.empty() ? lowest(legal) : highest(below, rank);
}

// The answer to a request: exactly one of card, pass, expose and moon.
Answer decide(const Request& request, const Rules& rules) {
  const View& view = request.view();
  Cards legal = cards_in(view.legal());
  Answer answer;
  answer.set_decision(request.decision());
  switch (view.phase()) {
    case PHASE_PASS:
      std::sort(legal.begin(), legal.end(), [](int one, int other) { return rank(one) > rank(other); });
      answer.mutable_pass()->set_cards(std::string(legal.begin(), legal.begin() + rules.passing().cards()));
      break;
    case PHASE_EXPOSE:
      answer.mutable_expose();
      break;
    case PHASE_MOON:
      answer.set_moon(MOON_CHOICE_SUBTRACT);
      break;
    default:
      answer.set_card(play_card(legal, trick_on_the_table(view, rules.players())));
  }
  return answer;
}

// ---- The wire.

using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds PATIENCE(10);      // that a bot without a referee keeps trying
constexpr std::chrono::milliseconds PAUSE(50);    // between two tries

struct Ended {
  bool is_over;         // the match
  bool was_connected;   // the referee sent something
  grpc::Status status;
};

// Play on one stream until it ends.
Ended play_stream(Referee::Stub& referee, const std::string& token) {
  grpc::ClientContext context;
  auto stream = referee.Play(&context);
  BotMessage message;
  message.mutable_hello()->set_protocol(1);
  message.mutable_hello()->set_token(token);
  message.mutable_hello()->set_name("cpp");
  stream->Write(message);
  Ended ended{false, false, grpc::Status::OK};
  Rules rules;
  for (RefereeMessage received; stream->Read(&received);) {
    ended.was_connected = true;
    if (received.has_welcome()) {
      rules = received.welcome().rules();
    } else if (received.has_request()) {
      *message.mutable_answer() = decide(received.request(), rules);
      stream->Write(message);
    } else if (received.has_fault()) {
      std::cerr << "Fault: " << received.fault().message() << std::endl;
    } else if (received.has_match_over()) {
      std::cout << "The match is over: place " << received.match_over().place() << "." << std::endl;
      ended.is_over = true;
      stream->WritesDone();
    }
  }
  ended.status = stream->Finish();
  return ended;
}

bool is_final(grpc::StatusCode code) {
  return code == grpc::StatusCode::UNAUTHENTICATED || code == grpc::StatusCode::FAILED_PRECONDITION ||
         code == grpc::StatusCode::INVALID_ARGUMENT || code == grpc::StatusCode::PERMISSION_DENIED;
}

int main() {
  const char* address = std::getenv("PIGPEN_ADDRESS");
  const char* token = std::getenv("PIGPEN_TOKEN");
  if (!address || !*address || !token || !*token) {
    std::cerr << "This bot waits for a referee: start it with `pigpen play`, which sets PIGPEN_ADDRESS and PIGPEN_TOKEN."
              << std::endl;
    return 2;
  }
  grpc::ChannelArguments options;
  options.SetInt("grpc.initial_reconnect_backoff_ms", 50);
  options.SetInt("grpc.max_reconnect_backoff_ms", 500);
  options.SetInt("grpc.enable_retries", 0);
  auto channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), options);
  auto referee = Referee::NewStub(channel);
  // A stream that breaks is opened again with the same Hello.
  for (auto give_up = Steady::now() + PATIENCE;;) {
    const Ended ended = play_stream(*referee, token);
    if (ended.is_over) return 0;
    if (ended.was_connected) give_up = Steady::now() + PATIENCE;
    if (is_final(ended.status.error_code()) || Steady::now() > give_up) {
      std::cerr << "The referee refused this bot: " << ended.status.error_message() << std::endl;
      return 2;
    }
    std::this_thread::sleep_for(PAUSE);
  }
}
