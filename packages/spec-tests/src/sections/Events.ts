import { isSuccess } from "../check/Answers.ts"
import { holds, same, matches } from "../check/Expect.ts"
import { AudienceStage } from "../trial/AudienceStage.ts"
import { board } from "../trial/RelayStage.ts"
import { roomStage, withRooms } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"
import { cardContinues, warned } from "./limits/CapProbes.ts"
import { clientRow, slowClientRow } from "./RowKinds.ts"
import { section, tierD, tierB, tierC, rowOf, type More } from "./Section.ts"
import { secondMs } from "./Units.ts"

/** What a client and a room say to each other, as D-24 shapes it. */
const payloads = async (trial: Trial): Promise<void> => {
  const stage = await roomStage(trial)
  const [one, two] = [await stage.client("talk"), await stage.client("talk")]
  const [welcome] = one.welcomes()
  const { codecs } = trial
  const { subprotocol } = rowOf("statement", "events.payloads").is ?? {}
  trial.chosen("D-24", () => {
    same("the subprotocol", codecs.room.subprotocol, subprotocol)
    same("the room of the welcome", welcome?.roomId, "talk")
    same("the version of the welcome", welcome?.version, 1)
    for (const field of ["clientId", "playerId", "resume"] as const) {
      matches(`${field} of the welcome`, welcome?.[field], /^.+$/)
    }
    same("whether it is a viewer's", welcome?.audience, false)
    holds("a state", (welcome?.stateBytes ?? 0) > 0, welcome)
  })
  same("an answer", await one.call("echo", { deep: [1, null, "ä"] }), { deep: [1, null, "ä"] })
  one.say("say", { words: ["hello"] })
  one.chat("a line")
  const heard = await trial.until("the message", async () => two.heard("said").at(0) ?? null)
  const line = await trial.until("the chat line", async () => two.chats().at(0) ?? null)
  trial.chosen("D-24", () => {
    same("a message", Object(heard)["value"], { words: ["hello"] })
    same("who says it", Object(heard)["from"], welcome?.clientId)
    same("a chat line", [line.from, line.line], [welcome?.clientId, "a line"])
  })
  one.chat("x".repeat(rowOf("boundary", "limits.chat.bytes").refuse))
  const error = await trial.until("the error", async () => one.errors().at(0) ?? null)
  trial.chosen("D-24", () => {
    matches("the code of an error", error.code, /^E_[A-Z_]+$/)
    matches("its message", error.message, /^.+$/)
  })
  await one.ping()
}

const metricRow = (metric: string, more: More) =>
  tierC(318, `operational metric ${metric} is exposed`, {
    hooks: ["metrics"],
    decisions: ["D-37"],
    is: { metric },
    ...more
  })

/** Lines 307 to 318 of the specification: Events. */
export const eventsSection = section("Events", {
  "events.webhooks": tierD(307, "outbound notifications are not given", {
    level: "decided",
    decisions: ["D-38"],
    documented: "Notifications to the project are not shown; D-38: there are none."
  }),
  "events.4291.fatal": tierB(311, "4291 E_ROOM_DELETED is fatal for clients", {
    probe: ["sdk"],
    features: ["sdk"],
    outcome: { close: 4291, code: "E_ROOM_DELETED" },
    check: {
      title: "for the client library 4291 is the end: it tells the program, and does not come back",
      run: withRooms(async (stage, trial) => {
        const fate = trial.fixtures.client({
          project: stage.project.id,
          room: "ended",
          type: "probe",
          forMs: lookMs
        })
        await stage.counted("ended", 1)
        isSuccess(await stage.remove("ended", "?force=true"))
        const { joined, ended, sockets } = await fate
        holds("it had joined", joined, sockets)
        holds("the program is told of the end", ended, sockets)
        same("connections", sockets.length, 1)
        same("nobody made the room again", await stage.roomIds(), [])
      })
    }
  }),
  "events.4290.dataout": tierC(312, "4290 marks the data-out allowance; rooms hibernate saved", {
    probe: ["ws"],
    hooks: ["meters"],
    features: ["caps"],
    sameAs: "state.room.dataout-hibernates"
  }),
  "events.1008.slow": slowClientRow(
    313,
    "1008 E_SLOW_CONSUMER; a reconnect gets a fresh snapshot",
    { sameAs: "state.socket.slow-consumer" }
  ),
  "events.cap.email": tierC(
    314,
    "a cap reached with a card on file sends one email and a billing alert; service continues",
    {
      hooks: ["meters", "outbox", "plan"],
      features: ["billing", "caps"],
      decisions: ["D-39"],
      is: { emails: 1 },
      check: cardContinues
    }
  ),
  "events.dataout.warning-80": tierC(315, "dashboard warning at 80% of data out", {
    hooks: ["meters"],
    features: ["billing", "caps"],
    decisions: ["D-39"],
    is: { percent: 80 },
    check: warned
  }),
  "events.dataout.warning-limit": tierC(315, "dashboard warning at the limit", {
    hooks: ["meters"],
    features: ["billing", "caps"],
    decisions: ["D-39"],
    is: { percent: 100 },
    provedBy: "events.dataout.warning-80"
  }),
  "events.sustained-rate.log": tierC(
    316,
    "sustained data-out over the rate for more than ten seconds logs a warning in the room log; messages are dropped",
    {
      probe: ["ws"],
      hooks: ["clock", "logs"],
      features: ["caps"],
      decisions: ["D-39"],
      alsoLines: [542],
      is: { forMs: 10 * secondMs },
      provedBy: "caps.dataout.sustained"
    }
  ),
  "events.payloads": clientRow(318, "shapes of client-visible room messages are not given", {
    level: "decided",
    decisions: ["D-24"],
    is: { subprotocol: "rooms.v1" },
    check: {
      title: "welcome, answer, message, chat line and error have the shapes of D-24",
      run: payloads
    }
  }),
  "metrics.sockets": metricRow("sockets", {
    check: [
      {
        needs: ["fixture", "relay", "audience"],
        title: "sockets of viewers are counted with those of players",
        run: async (trial) => {
          const audience = await AudienceStage.of(trial)
          const { stage } = audience
          await stage.client("watched", board)
          await audience.viewer("watched")
          same("sockets", (await trial.control.metrics(stage.project.id))["sockets"], 2)
        }
      },
      {
        needs: ["fixture"],
        title: "sockets, rooms by state, bytes in and out, and memory are exposed",
        run: withRooms(async (stage, trial) => {
          const read = () => trial.control.metrics(stage.project.id)
          same("sockets at first", (await read())["sockets"], 0)
          await stage.played("asleep")
          const [one, two] = [await stage.client("awake"), await stage.client("awake")]
          const before = await read()
          same("sockets", before["sockets"], 2)
          const counts = Object.values(Object(before["roomsByState"])).map(Number)
          same(
            "rooms of all states",
            counts.reduce((sum, count) => sum + count, 0),
            2
          )
          same("asleep", Object(before["roomsByState"])["hibernated"], 1)
          holds("rss", Number(before["rss"]) > 1_000_000, before["rss"])
          const shown = (await stage.project.ask("/metrics")).json
          const five = ["egressBytes", "ingressBytes", "roomsByState", "rss", "sockets"]
          trial.chosen("D-37", () =>
            same("what the owner reads", Object.keys(Object(shown)).toSorted(), five)
          )
          await one.call("echo", "x".repeat(100_000))
          const after = await read()
          for (const metric of ["ingressBytes", "egressBytes"]) {
            const grown = Number(after[metric]) - Number(before[metric])
            holds(`${metric} of 100,000 bytes`, grown >= 100_000 && grown < 110_000, grown)
          }
          await two.leave()
          await trial.until("one socket", async () =>
            (await read())["sockets"] === 1 ? true : null
          )
        })
      }
    ]
  }),
  "metrics.roomsByState": metricRow("roomsByState", { provedBy: "metrics.sockets" }),
  "metrics.ingressBytes": metricRow("ingressBytes", { provedBy: "metrics.sockets" }),
  "metrics.egressBytes": metricRow("egressBytes", { provedBy: "metrics.sockets" }),
  "metrics.rss": metricRow("rss", { provedBy: "metrics.sockets" })
})

/** Longer than a client that may come back waits before it does: 5 s at most (D-24). */
const lookMs = 6000
