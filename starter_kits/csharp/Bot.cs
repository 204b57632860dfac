// A Pigpen bot in C#: ducks tricks, sheds dangerous cards, exposes nothing, never gives the moon away.
//
// Your game goes into Decide and what it calls. The program reads a line of JSON for each question, and writes one for each
// answer; Pigpen's docs/lines.md lists the fields. Standard output is for answers alone: print with Console.Error.

using System;
using System.Collections.Generic;
using System.Linq;

public static class Bot
{
    // ---- Lines. A field's value begins behind its name, and has no spaces around it; lists are flat.

    static string Field(string line, string name)
    {
        int begin = line.IndexOf("\"" + name + "\":", StringComparison.Ordinal) + name.Length + 3;
        switch (line[begin])
        {
            case '[':
                return line.Substring(begin + 1, line.IndexOf(']', begin) - begin - 1);
            case '"':
                return line.Substring(begin + 1, line.IndexOf('"', begin + 1) - begin - 1);
            default:
                return line.Substring(begin, line.IndexOfAny(new[] { ',', '}' }, begin) - begin);
        }
    }

    static List<string> Cards(string line, string name)
    {
        return Field(line, name).Split(',').Where(card => card != "").Select(card => card.Trim('"')).ToList();
    }

    // ---- The game. A card is its name: rank, then suit.

    static char Suit(string card)
    {
        return card[1];
    }

    static int Rank(string card)
    {
        return 2 + "23456789TJQKA".IndexOf(card[0]);
    }

    static int Danger(string card)
    {
        if (card == "QS") return 100;
        return Suit(card) == 'H' ? 20 + Rank(card) : Rank(card);
    }

    static string PlayCard(List<string> legal, List<string> trick)
    {
        string lowest = legal.OrderBy(Rank).First();
        if (trick.Count == 0) return lowest;
        char led = Suit(trick[0]);
        if (Suit(legal[0]) != led) return legal.OrderByDescending(Danger).First();
        int winning = trick.Where(card => Suit(card) == led).Max(card => Rank(card));
        return legal.Where(card => Rank(card) < winning).OrderByDescending(Rank).FirstOrDefault() ?? lowest;
    }

    /// <summary>Gives the field of the answer to a request.</summary>
    static string Decide(string request)
    {
        List<string> legal = Cards(request, "legal");
        switch (Field(request, "phase"))
        {
            case "pass":
                int count = int.Parse(Field(request, "pass_count"));
                return "\"pass\":[\"" + string.Join("\",\"", legal.OrderByDescending(Rank).Take(count)) + "\"]";
            case "expose":
                return "\"expose\":[]";
            case "moon":
                return "\"moon\":\"subtract\"";
            default:
                return "\"card\":\"" + PlayCard(legal, Cards(request, "trick")) + "\"";
        }
    }

    /// <summary>Decides before the match, so that the virtual machine has loaded and compiled what it needs.</summary>
    static void WarmUp()
    {
        string request = "{\"phase\":\"PHASE\",\"legal\":[\"2C\",\"AC\",\"QS\"],\"trick\":[\"9C\"],\"pass_count\":2}";
        foreach (string phase in new[] { "pass", "expose", "moon", "play" }) Decide(request.Replace("PHASE", phase));
    }

    public static void Main()
    {
        WarmUp();
        Console.WriteLine("{\"protocol\":1,\"name\":\"csharp\"}");
        Console.Out.Flush();
        for (string line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            switch (Field(line, "type"))
            {
                case "request":
                    Console.WriteLine("{\"decision\":" + Field(line, "decision") + "," + Decide(line) + "}");
                    Console.Out.Flush();
                    break;
                case "fault":
                    Console.Error.WriteLine("Fault: " + Field(line, "message"));
                    break;
            }
        }
    }
}
