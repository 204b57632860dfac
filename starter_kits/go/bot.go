// A Pigpen bot in Go: ducks tricks, sheds dangerous cards, exposes nothing, never gives the moon away.
//
// Your game goes into the first half, decide and what it calls; the second half talks to the referee. Write to stdout and
// stderr as you like: the match goes over a socket. The protocol is described in Pigpen's docs/protocol.md.
package main

import (
	"context"
	"fmt"
	"os"
	"sort"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "pigpenbot/pigpen/v1"
)

// ---- The game. A card is a number: suit × 13 + rank − 2, so 2C is 0 and AS is 51.

const (
	hearts = 2
	pig    = 49 // QS
)

func suit(card byte) byte { return card / 13 }
func rank(card byte) int  { return int(card % 13) }

func danger(card byte) int {
	switch {
	case card == pig:
		return 100
	case suit(card) == hearts:
		return 20 + rank(card)
	}
	return rank(card)
}

func highest(cards []byte, key func(byte) int) byte {
	best := cards[0]
	for _, card := range cards {
		if key(card) > key(best) {
			best = card
		}
	}
	return best
}

func lowest(cards []byte) byte {
	return highest(cards, func(card byte) int { return -rank(card) })
}

func trickOnTheTable(view *pb.View, players int) []byte {
	return view.Plays[len(view.Plays)-len(view.Plays)%players:]
}

func playCard(legal, trick []byte) byte {
	if len(trick) == 0 {
		return lowest(legal)
	}
	led := suit(trick[0])
	if suit(legal[0]) != led {
		return highest(legal, danger)
	}
	winning := trick[0]
	for _, card := range trick {
		if suit(card) == led && card > winning {
			winning = card
		}
	}
	var below []byte
	for _, card := range legal {
		if card < winning {
			below = append(below, card)
		}
	}
	if len(below) == 0 {
		return lowest(legal)
	}
	return highest(below, rank)
}

// decide gives the answer to a request: exactly one of card, pass, expose and moon.
func decide(request *pb.Request, rules *pb.Rules) *pb.Answer {
	view := request.View
	answer := &pb.Answer{Decision: request.Decision}
	switch view.Phase {
	case pb.Phase_PHASE_PASS:
		cards := append([]byte{}, view.Legal...)
		sort.Slice(cards, func(i, j int) bool { return rank(cards[i]) > rank(cards[j]) })
		answer.Action = &pb.Answer_Pass{Pass: &pb.PassAction{Cards: cards[:rules.Passing.Cards]}}
	case pb.Phase_PHASE_EXPOSE:
		answer.Action = &pb.Answer_Expose{Expose: &pb.ExposeAction{}}
	case pb.Phase_PHASE_MOON:
		answer.Action = &pb.Answer_Moon{Moon: pb.MoonChoice_MOON_CHOICE_SUBTRACT}
	default:
		card := playCard(view.Legal, trickOnTheTable(view, int(rules.Players)))
		answer.Action = &pb.Answer_Card{Card: uint32(card)}
	}
	return answer
}

// ---- The wire.

const (
	patience = 10 * time.Second      // that a bot without a referee keeps trying
	pause    = 50 * time.Millisecond // between two tries
)

// playStream plays on one stream until it ends; it says whether the match is over and whether the referee has sent anything.
func playStream(referee pb.RefereeClient, token string) (isOver, wasConnected bool, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stream, err := referee.Play(ctx, grpc.WaitForReady(false))
	if err != nil {
		return false, false, err
	}
	hello := &pb.Hello{Protocol: 1, Token: token, Name: "go"}
	if err := stream.Send(&pb.BotMessage{Body: &pb.BotMessage_Hello{Hello: hello}}); err != nil {
		_, err = stream.Recv() // says why
		return false, false, err
	}
	var rules *pb.Rules
	for {
		message, err := stream.Recv()
		if err != nil {
			return isOver, wasConnected, err
		}
		wasConnected = true
		switch body := message.Body.(type) {
		case *pb.RefereeMessage_Welcome:
			rules = body.Welcome.Rules
		case *pb.RefereeMessage_Request:
			answer := decide(body.Request, rules)
			if err := stream.Send(&pb.BotMessage{Body: &pb.BotMessage_Answer{Answer: answer}}); err != nil {
				return isOver, wasConnected, err
			}
		case *pb.RefereeMessage_Fault:
			fmt.Fprintln(os.Stderr, "Fault:", body.Fault.Message)
		case *pb.RefereeMessage_MatchOver:
			fmt.Printf("The match is over: place %d.\n", body.MatchOver.Place)
			isOver = true
			_ = stream.CloseSend()
		}
	}
}

func isFinal(code codes.Code) bool {
	return code == codes.Unauthenticated || code == codes.FailedPrecondition ||
		code == codes.InvalidArgument || code == codes.PermissionDenied
}

func main() {
	address, token := os.Getenv("PIGPEN_ADDRESS"), os.Getenv("PIGPEN_TOKEN")
	if address == "" || token == "" {
		fmt.Fprintln(os.Stderr, "This bot waits for a referee: start it with `pigpen play`, which sets PIGPEN_ADDRESS and PIGPEN_TOKEN.")
		os.Exit(2)
	}
	delays := backoff.Config{BaseDelay: pause, Multiplier: 1.6, MaxDelay: 500 * time.Millisecond}
	connection, err := grpc.Dial(address, grpc.WithInsecure(), grpc.WithDisableRetry(),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: delays, MinConnectTimeout: 2 * time.Second}))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	referee := pb.NewRefereeClient(connection)
	// A stream that breaks is opened again with the same Hello.
	for giveUp := time.Now().Add(patience); ; time.Sleep(pause) {
		isOver, wasConnected, err := playStream(referee, token)
		if isOver {
			return
		}
		if wasConnected {
			giveUp = time.Now().Add(patience)
		}
		if isFinal(status.Code(err)) || time.Now().After(giveUp) {
			fmt.Fprintln(os.Stderr, "The referee refused this bot:", status.Convert(err).Message())
			os.Exit(2)
		}
	}
}
