import { isSuccess } from "../../check/Answers.ts"
import { brought, holds, same } from "../../check/Expect.ts"
import type { Meter } from "../../codec/Codecs.ts"
import { onHeldClock } from "../../families/HeldClock.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { withRooms } from "../../trial/RoomStage.ts"
import { CallRefused } from "../../trial/SocketError.ts"
import type { Trial } from "../../trial/Trial.ts"
import { rowOf } from "../Section.ts"
import { secondMs } from "../Units.ts"
import { capOf, CapStage, withCaps } from "./CapStage.ts"
import { floodBytes } from "./Flood.ts"

const needs = ["fixture"] as const

/** The wall of the free plan, at the allowance and one below it. */
export const freeWall = {
  needs,
  title: "without a card new rooms are refused when the room hours are used up, and not before",
  run: withCaps("free", async (stage) => {
    const { allowance } = await stage.cap("roomHours")
    await stage.uses("roomHours", allowance - 1)
    await stage.takes("before")
    await stage.uses("roomHours", allowance)
    await stage.refuses("after", "roomHours")
    await stage.uses("roomHours", allowance - 1)
    await stage.takes("after")
  })
}

export const nothingKilled = {
  needs,
  timeoutMs: 60_000,
  title: "at the walls rooms play on, and nothing that is stored goes",
  run: withCaps("free", async (stage) => {
    const { rooms } = stage
    const client = await rooms.client("plays")
    await rooms.played("asleep", 3)
    const saves = await rooms.saves("asleep")
    for (const meter of ["roomHours", "storageBytes", "voiceMinutes"] as const) {
      await stage.uses(meter, 10 * (await stage.cap(meter)).allowance)
    }
    await stage.refuses("new", "roomHours")
    holds("the player is still connected", client.isOpen(), "closed")
    same("the room's state", await client.call("add", { by: 2 }), { value: 2 })
    same("saves of the room that sleeps", await rooms.saves("asleep"), saves)
    for (const save of saves) isSuccess(await rooms.bytes("asleep", save))
    same("rooms", (await rooms.roomIds()).toSorted(), ["asleep", "plays"])
  })
}

export const ownersCeiling = {
  needs,
  title: "at the owner's ceiling new rooms are refused with and without a card, and not before",
  run: async (trial: Trial): Promise<void> => {
    for (const tier of ["card", "free"] as const) {
      const stage = await CapStage.of(trial, tier)
      await stage.ceiling("roomHours", 50)
      await stage.uses("roomHours", 49)
      await stage.takes("before")
      await stage.uses("roomHours", 50)
      await stage.refuses("after", "roomHours")
      await stage.ceiling("roomHours", 51)
      await stage.takes("after")
      await stage.ceiling("roomHours", 50)
      await stage.refuses("again", "roomHours")
      await stage.ceiling("roomHours", null)
      await stage.takes("again")
    }
  }
}

/** All ceilings that leave rooms awake are reached. */
const reachWalls = async (stage: CapStage): Promise<void> => {
  for (const meter of ["roomHours", "storageBytes", "voiceMinutes"] as const) {
    await stage.ceiling(meter, 0)
    await stage.uses(meter, 1)
  }
}

export const playersPlayOn = {
  needs,
  title: "at the walls connected players call, write and hear each other",
  run: withCaps("card", async (stage, trial) => {
    const [one, two] = [await stage.rooms.client("duel"), await stage.rooms.client("duel")]
    await reachWalls(stage)
    same("a call", await one.call("add", { by: 2 }), { value: 2 })
    same("a call that is stored", await two.call("addDurably", { by: 3 }), { value: 5 })
    one.say("say", "hello")
    await trial.until("the message", async () => two.heard("said").at(0) ?? null)
    await one.call("keep", { bytes: 100_000 })
    holds("both are connected", one.isOpen() && two.isOpen(), "closed")
  })
}

export const roomsTakeJoins = {
  needs,
  title: "at the walls a room that is awake takes further players",
  run: withCaps("card", async (stage) => {
    const one = await stage.rooms.client("awake")
    await reachWalls(stage)
    const two = await stage.rooms.client("awake")
    same("a call of the second player", await two.call("add", { by: 1 }), { value: 1 })
    holds("the first one is connected", one.isOpen(), "closed")
  })
}

export const newRoomsRefused = {
  needs,
  timeoutMs: 60_000,
  title:
    "the wall of room hours refuses new rooms and rooms that would wake; those of storage and voice do not",
  run: withCaps("card", async (stage) => {
    const { rooms } = stage
    await rooms.played("asleep", 1)
    for (const meter of ["storageBytes", "voiceMinutes"] as const) {
      await stage.ceiling(meter, 0)
      await stage.takes(`at ${meter}`.replace(" ", "-"))
      await stage.ceiling(meter, null)
    }
    await stage.ceiling("roomHours", 0)
    for (const room of ["new", "asleep"]) await stage.refuses(room, "roomHours")
    await stage.ceiling("roomHours", null)
    for (const room of ["new", "asleep"]) await stage.takes(room)
  })
}

const savedBy = async (client: RoomSocket): Promise<string> => {
  try {
    await client.call("save")
    return "saved"
  } catch (cause) {
    if (cause instanceof CallRefused) return "refused"
    throw cause
  }
}

export const writesRefused = {
  needs,
  timeoutMs: 60_000,
  title: "the wall of storage refuses a save by call; state is stored, reads and deletes work",
  run: withCaps("free", async (stage) => {
    const { rooms } = stage
    const { allowance } = await stage.cap("storageBytes")
    const client = await rooms.client("saves")
    await stage.uses("storageBytes", allowance - 1)
    same("a save below the wall", await savedBy(client), "saved")
    const before = await rooms.saves("saves")
    await stage.uses("storageBytes", allowance)
    same("a save at the wall", await savedBy(client), "refused")
    same("the saves at the wall", await rooms.saves("saves"), before)
    const [newest] = before
    isSuccess(
      await rooms.bytes("saves", brought("a save", await rooms.ask("/saves"), newest ?? null))
    )
    same("a call that is stored", await client.call("addDurably", { by: 4 }), { value: 4 })
    await client.leave()
    await rooms.asleep("saves")
    same("the state that was stored", await (await rooms.client("saves")).call("add", { by: 0 }), {
      value: 4
    })
    isSuccess(await rooms.remove("saves", "?force=true"))
    await stage.uses("storageBytes", 0)
    same("a save when the wall is gone", await savedBy(await rooms.client("saves")), "saved")
  })
}

/** Alerts of a project, as the owner reads them. */
const alertsOf = async (trial: Trial, project: string, meter: Meter) => {
  const { billing } = trial.codecs.ownersCalls(project)
  const answer = await trial.send({ ...billing, bearer: trial.login(0) })
  isSuccess(answer)
  const { alerts } = Object(answer.json)
  const list: ReadonlyArray<unknown> = brought(
    "alerts",
    answer,
    Array.isArray(alerts) ? alerts : null
  )
  return list
    .map((alert) => Object(alert))
    .filter((alert) => alert["project"] === project && alert["meter"] === meter)
    .map((alert) => Number(alert["percent"]))
}

/** An alert comes within seconds of the use that raises it. */
const alerted = async (trial: Trial, project: string, expected: ReadonlyArray<number>) => {
  await trial.until("the alerts", async () => {
    const alerts = await alertsOf(trial, project, "dataOutBytes")
    return alerts.length >= expected.length ? alerts : null
  })
  same("the alerts", await alertsOf(trial, project, "dataOutBytes"), expected)
}

export const warned = {
  title:
    "at 80 percent of the data out and at the limit the owner's page has an alert, and not before",
  run: async (trial: Trial): Promise<void> => {
    const project = await trial.project()
    const { id } = project
    const percentOf = (row: string) => Number((rowOf("statement", row).is ?? {})["percent"])
    const [near, limit] = [
      percentOf("events.dataout.warning-80"),
      percentOf("events.dataout.warning-limit")
    ]
    const meter = "dataOutBytes"
    if (trial.control.has("plan")) await trial.control.plan(id, "free")
    const { allowance } = await capOf(project, meter)
    const use = (used: number) => trial.control.meter(id, { meter, used: Math.ceil(used) })
    await use((allowance * near) / 100 - 1)
    same("the alerts before", await alertsOf(trial, id, meter), [])
    await use((allowance * near) / 100)
    await alerted(trial, id, [near])
    await use((allowance * limit) / 100 - 1)
    same("the alerts below the limit", await alertsOf(trial, id, meter), [near])
    await use((allowance * limit) / 100)
    await alerted(trial, id, [near, limit])
  }
}

export const cardContinues = {
  needs: ["fixture", "outbox", "plan"] as const,
  timeoutMs: 60_000,
  title: "with a card a cap that is reached brings one alert and one mail, and rooms go on",
  run: withCaps("card", async (stage, trial) => {
    const { rooms } = stage
    const { id } = rooms.project
    const mails = () => trial.control.outbox(id)
    const { emails } = rowOf("statement", "events.cap.email").is ?? {}
    const { allowance } = await stage.cap("roomHours")
    const client = await rooms.client("plays")
    await stage.uses("roomHours", allowance - 1)
    same("mails before the cap", (await mails()).length, 0)
    await stage.uses("roomHours", allowance)
    await trial.until("the mail", async () => ((await mails()).length > 0 ? true : null))
    same("alerts", (await alertsOf(trial, id, "roomHours")).at(-1), 100)
    same("the state of the meter", (await stage.cap("roomHours")).state, "warned")
    await stage.takes("new")
    same("a player's call", await client.call("add", { by: 1 }), { value: 1 })
    for (const used of [allowance + 1, 2 * allowance, 0, allowance]) {
      await stage.uses("roomHours", used)
    }
    same("mails of the period", (await mails()).length, emails)
  })
}

/** The rooms of a server that is cut off go on as they were; the wall holds when it is back. */
export const staleKeepsLast = {
  needs: ["fixture", "servers"] as const,
  timeoutMs: 90_000,
  title: "a server that is cut off from the rest keeps its rooms awake at a wall, until it is back",
  run: withCaps("card", async (stage, trial) => {
    const { rooms } = stage
    const client = await rooms.client("far")
    await client.call("add", { by: 1 })
    const server = await trial.until("its server", async () => {
      const all = await trial.control.servers(rooms.project.id)
      return all.find((each) => each.rooms.includes("far")) ?? null
    })
    trial.later(() => trial.control.server("resume", server.id))
    await trial.control.server("isolate", server.id)
    await stage.ceiling("dataOutBytes", 0)
    await trial.pause(heldMs)
    holds("the player is connected", client.isOpen(), "closed")
    await trial.control.server("resume", server.id)
    same("the close code when it is back", (await client.end()).code, 4290)
  })
}

/** Longer than the service takes to close a room at the wall that it can reach. */
const heldMs = 8000

const perSecond = () =>
  Number((rowOf("statement", "caps.dataout.sustained").is ?? {})["bytesPerSecond"])

/** So many messages reach each of three clients in each second of the service's time. */
interface Pace {
  readonly seconds: number
  readonly messages: number
}

const sends = async (
  trial: Trial,
  clients: ReadonlyArray<RoomSocket>,
  { seconds, messages }: Pace
): Promise<void> => {
  const [first] = clients
  for (let second = 0; second < seconds; second++) {
    for (let left = messages; left > 0; left -= 16) {
      await first?.call("flood", { bytes: floodBytes, count: Math.min(left, 16) })
      await Promise.all(clients.map((client) => client.ping()))
    }
    await trial.control.advance(secondMs)
  }
}

export const sustainedRate = {
  needs: ["fixture", "clock", "logs"] as const,
  timeoutMs: 180_000,
  alone: true as const,
  title:
    "messages are dropped after ten seconds over the sustained rate, with a warning in the room's log; at the rate none is",
  run: withRooms(async (stage, trial) => {
    const { forMs } = rowOf("statement", "caps.dataout.sustained").is ?? {}
    const seconds = Number(forMs) / secondMs
    // Three clients; what is beside the texts of messages fits into what is left of the rate.
    const atRate = Math.floor(perSecond() / 3 / floodBytes) - 1
    const warnings = async (room: string) =>
      (await trial.control.logs(stage.project.id, room)).filter(
        (line) => Object(line)["level"] === "warn"
      ).length
    const seated = async (room: string) => [
      await stage.client(room),
      await stage.client(room),
      await stage.client(room)
    ]
    const heard = (clients: ReadonlyArray<RoomSocket>) =>
      clients.map((client) => client.heard("blob").length)
    await onHeldClock(trial, secondMs, async () => {
      const calm = await seated("calm")
      await trial.control.advance(2 * secondMs)
      await sends(trial, calm, { seconds: seconds + 2, messages: atRate })
      same(
        "messages at the rate",
        heard(calm),
        calm.map(() => (seconds + 2) * atRate)
      )
      same("warnings at the rate", await warnings("calm"), 0)
      for (const client of calm) await client.leave()
      const loud = await seated("loud")
      await trial.control.advance(2 * secondMs)
      const over = atRate + 6
      await sends(trial, loud, { seconds, messages: over })
      same(
        "messages of the first ten seconds",
        heard(loud),
        loud.map(() => seconds * over)
      )
      same("warnings of the first ten seconds", await warnings("loud"), 0)
      await sends(trial, loud, { seconds: 2, messages: over })
      const late = heard(loud).reduce((sum, count) => sum + count, 0)
      const limit = 3 * seconds * over + (2 * perSecond()) / floodBytes
      holds("messages were dropped", late < 3 * (seconds + 2) * over, late)
      holds("the rate is kept", late <= limit, late)
      same("warnings", await warnings("loud"), 1)
      for (const client of loud) holds("a client stays connected", client.isOpen(), "closed")
    })
  })
}

/** Seconds of the service's time until a use that is over the ceiling must have been noticed. */
const noticedSeconds = 95

export const overshoots = {
  needs: ["fixture", "clock"] as const,
  alone: true as const,
  timeoutMs: 90_000,
  title: "a room that goes on sending past the data-out ceiling is closed with 4290 within 5 GB",
  run: withCaps("card", async (stage, trial) => {
    const { refuse, outcome } = rowOf("boundary", "caps.dataout.overshoot")
    const ceiling = 2 * floodBytes
    await stage.ceiling("dataOutBytes", ceiling)
    const client = await stage.rooms.client("sends")
    const heard = () => client.heard("blob").length * floodBytes
    await onHeldClock(trial, secondMs, async () => {
      for (let second = 0; client.isOpen() && second < noticedSeconds; second++) {
        await client.call("flood", { bytes: floodBytes, count: 4 }).catch(() => null)
        await trial.control.advance(secondMs)
      }
    })
    same("the close code", (await client.end()).code, outcome?.close)
    holds("messages came past the ceiling", heard() > ceiling, heard())
    holds("what came past the ceiling", heard() - ceiling < refuse, heard())
    await stage.refuses("sends", "dataOutBytes")
  })
}
