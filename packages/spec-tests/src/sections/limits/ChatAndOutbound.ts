import { same, holds } from "../../check/Expect.ts"
import { AudienceStage } from "../../trial/AudienceStage.ts"
import { board } from "../../trial/RelayStage.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { type RoomStage, withRooms } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { roomLimitsHeading } from "../Headings.ts"
import { clientRow, slowClientRow } from "../RowKinds.ts"
import { section, tierB, tierC, rowOf } from "../Section.ts"
import { held } from "../states/HeldTime.ts"
import { atMost, secondMs, mib, kilobytes, kib } from "../Units.ts"
import { fatalBytes, flood, floodBytes } from "./Flood.ts"

const slow = { code: "E_SLOW_CONSUMER", close: 1008 } as const

/** Lines 393 to 395 of the specification: Connection and room limits, chat and what waits to be sent. */
export const chatAndOutboundSection = section(roomLimitsHeading, {
  "limits.chat.bytes": clientRow(
    393,
    "chat line at most 512 bytes UTF-8, refused by name, never trimmed",
    {
      decisions: ["D-35"],
      boundary: { ...atMost(512, "bytes"), outcome: { code: "E_CHAT_TOO_LONG", close: "open" } },
      check: {
        title: "a chat line has at most 512 bytes of UTF-8; a longer one is refused whole",
        run: withRooms(async (stage, trial) => {
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
        })
      }
    }
  ),
  "limits.chat.rate": tierC(394, "1 chat line a second per connection", {
    probe: ["ws"],
    hooks: ["clock", "fixture"],
    decisions: ["D-35"],
    bucket: {
      endpoint: "chat lines of a connection",
      key: "connection",
      rate: 1,
      perMs: secondMs,
      burst: 5,
      outcome: { code: "E_CHAT_RATE", close: "open" },
      told: "once"
    },
    check: {
      alone: true,
      title: "1 chat line a second, counted to the millisecond",
      run: withRooms(async (stage, trial) => {
        const { burst, perMs } = rowOf("bucket", "limits.chat.rate")
        const [client, listener] = [await stage.client("chat"), await stage.client("chat")]
        await held(trial)
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
      })
    }
  }),
  "limits.chat.burst": clientRow(394, "burst 5", {
    decisions: ["D-35"],
    literalsOf: "limits.chat.rate",
    check: {
      title: "5 chat lines at once; the excess is refused by name, told once, and nothing closes",
      run: withRooms(async (stage, trial) => {
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
      })
    }
  }),
  "limits.chat.told-once": clientRow(394, "the sender is told once and the connection stays open", {
    decisions: ["D-35", "T-76"],
    literalsOf: "limits.chat.rate",
    provedBy: "limits.chat.burst"
  }),
  "limits.outbound.player": slowClientRow(395, "4 MiB outbound buffer per player socket", {
    boundary: { ...atMost(4 * mib, "bytes"), outcome: slow },
    check: {
      timeoutMs: 60_000,
      title: "4 MiB may wait for a client, and not many more",
      run: withRooms(async (stage, trial) => {
        const { accept } = rowOf("boundary", "limits.outbound.player")
        const client = await stage.client("fast")
        const witness = await stage.client("fast")
        client.stall(true)
        const bytes = (accept / 8) * 7
        await flood(witness, bytes)
        client.stall(false)
        await client.ping()
        same("3.5 MiB are delivered", client.heard("blob").length, bytes / floodBytes)
        holds("the connection stays", client.isOpen(), "closed")
        client.stall(true)
        await flood(witness, await fatalBytes(trial.config.baseUrl, accept))
        client.stall(false)
        const { outcome } = rowOf("boundary", "limits.outbound.player")
        same("past it", (await client.end()).code, outcome.close)
      })
    }
  }),
  "limits.outbound.viewer": tierB(395, "256 KB outbound buffer per viewer socket", {
    probe: ["ws"],
    features: ["audience", "relay", "slowClients"],
    boundary: { ...kilobytes(256), outcome: slow },
    check: {
      timeoutMs: 180_000,
      title: "256 KB may wait for a viewer, 3.75 MiB less than for a player",
      run: async (trial) => {
        const { accept, outcome } = rowOf("boundary", "limits.outbound.viewer")
        const audience = await AudienceStage.of(trial)
        const { stage } = audience
        await stage.client(room, board)
        const some = await audience.viewer(room)
        const bytes = Math.floor((accept * 7) / 8)
        holds("a viewer survives 7/8 of it", await survives(stage, some, bytes), "closed")
        same("what came to it", some.relay.sent().length, Math.ceil(bytes / block))
        const slow = await audience.viewer(room)
        holds("a viewer survives no more", !(await survives(stage, slow, mostMib * mib)), "open")
        const closed = await slow.end()
        same("the close", closed, { code: outcome.close, reason: outcome.code })
        // The kernels hold as much beside both budgets.
        const fatal = await fatalBytesOf(audience)
        const apart = rowOf("boundary", "limits.outbound.player").accept - accept
        const fewer = await fates(stage, fatal + apart - (mib * 3) / 8)
        holds(
          `a player survives 3.375 MiB more than ${fatal} bytes`,
          fewer.includes(true),
          "closed"
        )
        const more = await fates(stage, fatal + apart + mib / 2)
        holds(
          `a player is closed by 4.25 MiB more than ${fatal} bytes`,
          more.includes(false),
          "open"
        )
        holds("who reads stays", some.isOpen(), "closed")
      }
    }
  }),
  "limits.outbound.welcome-extra": slowClientRow(
    395,
    "the size of a WELCOME still being sent is added",
    {
      check: {
        timeoutMs: 60_000,
        title: "the size of a welcome that is being sent counts beside the budget",
        run: withRooms(async (stage, trial) => {
          const builder = await stage.client("vast", { type: "large" })
          for (let part = 0; part < 24; part++) await builder.call("keep", { bytes: 1024 * 1024 })
          const slow = await stage.socket("vast")
          await slow.hello({ type: "large" })
          slow.stall(true)
          await stage.counted("vast", 2)
          await builder.call("add", { by: 1 })
          await trial.pause(1000)
          slow.stall(false)
          const { stateBytes } = await slow.welcomed()
          holds("the whole state", stateBytes >= 24 * 1024 * 1024, stateBytes)
          await slow.ping()
        })
      }
    }
  )
})

const room = "fast"

const block = 56 * kib

/** Blocks that one client sends at once; its rate limits allow more. */
const blocksEach = 16

/** More than the kernels of both sides hold for a connection, and any budget. */
const mostMib = 24

/** Sends so much to a client that does not read meanwhile, then lets it read. @returns whether it stays */
const survives = async (stage: RoomStage, slow: RoomSocket, bytes: number): Promise<boolean> => {
  const to = slow.welcomes().map(({ clientId }) => clientId)
  slow.stall(true)
  for (let left = Math.ceil(bytes / block); left > 0; left -= blocksEach) {
    const sender = await stage.client(room, board)
    for (let n = Math.min(left, blocksEach); n > 0; n--) {
      sender.relay.send(to, new Uint8Array(block))
    }
    await sender.ping()
    await sender.leave()
  }
  slow.stall(false)
  const answers = slow.ping().then(
    () => true,
    () => false
  )
  return Promise.race([answers, slow.closed.then(() => false)])
}

/** Whether each of three players survives so much: a kernel does not hold the same for every socket. */
const fates = async (stage: RoomStage, bytes: number): Promise<ReadonlyArray<boolean>> => {
  const seen: Array<boolean> = []
  for (let player = 0; player < 3; player++) {
    seen.push(await survives(stage, await stage.client(room, board), bytes))
  }
  return seen
}

/** The least that a viewer does not survive, to an eighth of a MiB. */
const fatalBytesOf = async (audience: AudienceStage): Promise<number> => {
  let [kept, lost] = [0, mostMib * mib]
  while (lost - kept > mib / 8) {
    const tried = Math.floor((kept + lost) / 2)
    if (await survives(audience.stage, await audience.viewer(room), tried)) kept = tried
    else lost = tried
  }
  return lost
}

/** Until the client hears this line, which is sent after what is looked at. */
const chatted = (trial: Trial, client: RoomSocket, line: string) =>
  trial.until(`the line ${line}`, async () =>
    client.chats().some((chat) => chat.line === line) ? true : null
  )
