import type { Check } from "../check/Check.ts"
import { holds, Mismatch, same } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import { JoinRefused, type Hello, type RoomSocket } from "../trial/RoomSocket.ts"
import { mintIdentity } from "../trial/RoomSockets.ts"
import { roomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"

/** How a join ends that must not succeed. */
export const refusedJoin = async (socket: RoomSocket, hello?: Hello): Promise<JoinRefused> => {
  try {
    const { clientId } = await socket.join(hello)
    throw new Mismatch("the join", { expected: "a refusal", actual: `joined as ${clientId}` })
  } catch (cause) {
    if (cause instanceof JoinRefused) return cause
    throw cause
  }
}

/** Until the client hears this line, which is sent after what is looked at. */
const chatted = (trial: Trial, client: RoomSocket, line: string) =>
  trial.until(`the line ${line}`, async () =>
    client.chats().some((chat) => chat.line === line) ? true : null
  )

const roomSizeChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.maxClients.default"],
    timeoutMs: 60_000,
    title: "a room whose type says nothing takes 64 clients, and no more",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { accept, outcome } = rowOf("boundary", "limits.maxClients.default")
      const clients: Array<RoomSocket> = []
      for (let count = 0; count < accept; count++) clients.push(await stage.client("full"))
      const refusal = await refusedJoin(await stage.socket("full"))
      trial.chosen("D-43", () => same("the code", refusal.code, outcome.code))
      trial.chosen("D-24", () => same("the close code", refusal.close, outcome.close))
      holds(
        "the others stay",
        clients.every((client) => client.isOpen()),
        "closed"
      )
      await clients[0]?.leave()
      await stage.client("full")
    }
  },
  {
    ids: ["limits.handshake.timeout"],
    alone: true,
    title: "who has not sent the join handshake 5 seconds after connecting is closed",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { accept, outcome } = rowOf("boundary", "limits.handshake.timeout")
      await stage.played("late")
      const token = await mintIdentity(trial, stage.project)
      await trial.control.hold(true)
      trial.later(() => trial.control.hold(false))
      const [late, silent] = [await stage.socket("late"), await stage.socket("late")]
      await trial.control.advance(accept - 1)
      holds("both wait", late.isOpen() && silent.isOpen(), "closed")
      await late.join({ token })
      await trial.control.advance(2)
      const closed = await silent.end()
      trial.chosen("T-20", () =>
        same("the close", closed, { code: outcome.close, reason: outcome.code })
      )
      holds("who joined stays", late.isOpen(), "closed")
    }
  }
]

const frameChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.frames.rate", "limits.frames.burst"],
    title: "480 frames at once, 240 a second: neither more nor fewer are taken",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("busy")
      const { burst, rate } = rowOf("bucket", "limits.frames.rate")
      await trial.pause(300)
      const heard = () => client.heard("said").length
      const beganAtMs = performance.now()
      for (let frame = 0; frame < 1000; frame++) client.say("say", frame)
      await trial.until("the first frame", async () => (heard() > 0 ? true : null))
      const drainedFromMs = performance.now()
      await trial.pause(1000)
      const first = heard()
      const againAtMs = performance.now()
      for (let frame = 0; frame < 1000; frame++) client.say("say", 1000 + frame)
      await trial.until("frames of the second second", async () => (heard() > first ? true : null))
      await trial.pause(500)
      const endedAtMs = performance.now()
      await trial.until("a frame of a later time", async () => {
        client.say("say", "last")
        await trial.pause(50)
        return heard() > first ? true : null
      })
      const taken = client.heard("said").filter((said) => Object(said).value !== "last").length
      const least = burst + Math.floor((rate * (againAtMs - drainedFromMs)) / 1000) - 1
      const most = burst + Math.ceil((rate * (endedAtMs - beganAtMs)) / 1000) + 1
      holds("not fewer than is said", taken >= least, `${taken}, at least ${least}`)
      holds("not more than is said", taken <= most, `${taken}, at most ${most}`)
      trial.chosen("T-19", () => {
        holds("the connection stays", client.isOpen(), "closed")
        const told = client.errors().map(({ code }) => code)
        same("what the sender is told", [...new Set(told)], ["E_RATE_LIMITED"])
      })
    }
  }
]

/** How often, and how often the sender is told, on a clock that stands. */
const heldFrames: Check = {
  ids: ["limits.frames.rate", "limits.frames.burst"],
  needs: ["clock"],
  alone: true,
  title: "480 frames at once and 240 a second later, told once each time, on a clock that stands",
  run: async (trial) => {
    const stage = await roomStage(trial)
    const client = await stage.client("busy")
    const { burst, rate, perMs } = rowOf("bucket", "limits.frames.rate")
    await trial.control.hold(true)
    trial.later(() => trial.control.hold(false))
    await trial.control.advance(2 * perMs)
    const heard = () => client.heard("said").length
    let expected = 0
    for (const [episode, more] of [burst, rate, burst].entries()) {
      for (let frame = 0; frame < more + 20; frame++) client.say("say", frame)
      expected += more
      await trial.until(`${expected} frames`, async () => (heard() >= expected ? true : null))
      await trial.pause(200)
      same(`frames of episode ${episode}`, heard(), expected)
      trial.chosen("T-19", () => same("how often it is told", client.errors().length, episode + 1))
      await trial.control.advance(episode === 0 ? perMs : 10 * perMs)
    }
    holds("the connection stays", client.isOpen(), "closed")
  }
}

const chatChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.chat.bytes"],
    title: "a chat line has at most 512 bytes of UTF-8; a longer one is refused whole",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { accept, refuse, outcome } = rowOf("boundary", "limits.chat.bytes")
      const listener = await stage.client("chat")
      const expected: Array<string> = []
      for (const character of ["a", "é", "€", "𝄞"]) {
        const size = Buffer.byteLength(character)
        const longest = character.repeat(Math.floor(accept / size))
        const tooLong = character.repeat(Math.ceil(refuse / size))
        const client = await stage.client("chat")
        client.chat(longest)
        client.chat(tooLong)
        client.chat(`${size} bytes each`)
        expected.push(longest, `${size} bytes each`)
        await chatted(trial, listener, `${size} bytes each`)
        await client.ping()
        same(
          "heard by another",
          listener.chats().map(({ line }) => line),
          expected
        )
        holds("the connection stays", client.isOpen(), "closed")
        same("refusals that the sender is told", client.errors().length, 1)
        trial.chosen("D-35", () => same("the code", client.errors()[0]?.code, outcome.code))
      }
    }
  },
  {
    ids: ["limits.chat.burst", "limits.chat.told-once"],
    title: "5 chat lines at once; the excess is refused by name, told once, and nothing closes",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { burst, rate, outcome } = rowOf("bucket", "limits.chat.burst")
      const [client, listener] = [await stage.client("chat"), await stage.client("chat")]
      const beganAtMs = performance.now()
      for (let line = 0; line < 15; line++) client.chat(`line ${line}`)
      await client.ping()
      const elapsedMs = performance.now() - beganAtMs
      await chatted(trial, listener, `line ${burst - 1}`)
      const taken = listener.chats().length
      holds("the burst", taken >= burst, taken)
      const most = burst + Math.floor((rate * elapsedMs) / 1000)
      holds("no more than it and its refill", taken <= most, `${taken}, at most ${most}`)
      if (taken === burst) same("told once", client.errors().length, 1)
      trial.chosen("D-35", () => same("the code", client.errors()[0]?.code, outcome.code))
      await trial.until("a line passes again", async () => {
        client.chat("again")
        await trial.pause(200)
        return listener.chats().some(({ line }) => line === "again") ? true : null
      })
      if (taken === burst) {
        trial.chosen("T-76", () => same("once until a line passes", client.errors().length, 1))
      }
      holds("the connection stays", client.isOpen(), "closed")
    }
  },
  {
    ids: ["limits.chat.rate"],
    alone: true,
    title: "1 chat line a second, counted to the millisecond",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { burst, perMs } = rowOf("bucket", "limits.chat.rate")
      const [client, listener] = [await stage.client("chat"), await stage.client("chat")]
      await trial.control.hold(true)
      trial.later(() => trial.control.hold(false))
      await trial.control.advance(burst * perMs)
      /** How many of ten lines pass now. */
      const taken = async (): Promise<number> => {
        const before = client.chats().length
        for (let line = 0; line < 10; line++) client.chat("line")
        await client.ping()
        return client.chats().length - before
      }
      const told = () => client.errors().length
      same("at once", await taken(), burst)
      await trial.control.advance(perMs - 1)
      same("a millisecond before the next", await taken(), 0)
      trial.chosen("T-76", () => same("told once in all of it", told(), 1))
      await trial.control.advance(1)
      same("a second later", await taken(), 1)
      trial.chosen("T-76", () => same("told again after a line that passed", told(), 2))
      await trial.control.advance(100 * perMs)
      same("after a long time", await taken(), burst)
      await listener.ping()
      same("heard by another", listener.chats().length, 2 * burst + 1)
    }
  }
]

const fieldChecks: ReadonlyArray<Check> = [
  {
    ids: ["error.app-data-never-trimmed"],
    title: "data that does not fit its field is an error of the schema library, never trimmed",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("written")
      const write = (text: string) => client.call("write", { text })
      same("16 bytes", await write("sixteen bytes ok"), {
        refused: false,
        stored: "sixteen bytes ok"
      })
      const refused = { refused: true, stored: "sixteen bytes ok" }
      same("17 bytes", await write("seventeen bytes!!"), refused)
      same("9 characters of 2 bytes", await write("é".repeat(9)), refused)
      same("much", await write("x".repeat(10_000)), refused)
      same("8 characters of 2 bytes", await write("é".repeat(8)), {
        refused: false,
        stored: "é".repeat(8)
      })
    }
  }
]

/** Limits of rooms and of the connections to them. */
export const roomLimitChecks: ReadonlyArray<Check> = [
  ...roomSizeChecks,
  ...frameChecks,
  heldFrames,
  ...chatChecks,
  ...fieldChecks
]
