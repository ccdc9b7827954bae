import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

import type { ProjectId, RoomId } from "@atrium/domain/shared/Ids"
import { until } from "@atrium/domain/testing/Until"

import type { ProtocolVersions } from "../../cluster/RunnerProtocol.ts"
import type { ClientGate, Entrance, ToldWelcome } from "../../rooms/ClientGate.ts"
import { entrance, makeClient, makeGate } from "../../rooms/testing/FakeGate.ts"
import type { ForwardAnswer, Forwarding } from "../EntryLink.ts"
import { LinkPool, type LostLink } from "../LinkPool.ts"
import type { AnsweredQuestions } from "../LinkQuestions.ts"
import type { LoadedPlayer, ReachedRoom } from "../RoomLink.ts"

/** A client in a room, as its connection sees it. */
export interface GateClient {
  readonly seat: ClientGate
  readonly ref: number
  readonly got: ReturnType<typeof makeClient>["got"]
  readonly sink: ReturnType<typeof makeClient>["sink"]
  readonly welcomes: Array<ToldWelcome>
  /** How often it was told to send less. */
  readonly held: { times: number }
}

/** A gate, and clients that come to it directly or over a link. */
export interface GateUnderTest {
  readonly gate: ReturnType<typeof makeGate>["gate"]
  readonly occupancy: ReadonlyArray<string>
  /** `null` = the room takes nobody. */
  enter(name: string, more?: Pick<Entrance, "match">): Promise<GateClient | null>
  /** All that was sent has arrived, in both directions. */
  settled(): Promise<void>
  end(): Promise<void>
}

const forwardable = (name: string) => {
  const { sink, got } = makeClient(name)
  const welcomes: Array<ToldWelcome> = []
  const held = { times: 0 }
  const client = {
    ...sink,
    welcome: (told: ToldWelcome) => {
      welcomes.push(told)
      return sink.welcome(told)
    },
    holdBack: () => void held.times++
  }
  return { client, got, welcomes, held }
}

export const localGate = async (): Promise<GateUnderTest> => {
  const { gate, occupancy } = makeGate()
  return {
    gate,
    occupancy,
    enter: async (name, more) => {
      const { client, ...rest } = forwardable(name)
      const ref = gate.enter(client, entrance(name, more))
      return ref === null ? null : { seat: gate, ref, sink: client, ...rest }
    },
    settled: async () => undefined,
    end: async () => undefined
  }
}

export interface PoolSettings {
  readonly key?: Uint8Array
  readonly room?: () => ReachedRoom | undefined
  readonly player?: LoadedPlayer
  readonly versions?: ProtocolVersions
  connect?(address: string): Socket
  open?: AnsweredQuestions["open"]
}

/** A runner's links, and what it heard of those that ended. */
export const makePool = (settings: PoolSettings = {}) => {
  const lost: Array<LostLink> = []
  const pool = new LinkPool({
    key: settings.key ?? Buffer.alloc(32, 1),
    rooms: {
      find: () => settings.room?.(),
      loadPlayer: (_request, then) =>
        setImmediate(() => then(settings.player ?? { _tag: "Absent" })),
      open: settings.open ?? (() => ({ more: () => undefined, end: () => undefined }))
    },
    versions: settings.versions,
    nonce: () => randomBytes(32),
    connect:
      settings.connect ??
      ((address) => connect({ host: "127.0.0.1", port: Number(address.split(":")[1]) })),
    lost: (link) => void lost.push(link)
  })
  return { pool, lost }
}

/** Listens for a runner; its connections are known, so that a test can break them. */
export const listening = async (pool: LinkPool) => {
  const streams: Array<Socket> = []
  const server = createServer((stream) => {
    streams.push(stream)
    pool.accept(stream)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const at = server.address()
  const port = typeof at === "object" ? (at?.port ?? 0) : 0
  const close = async (): Promise<void> => {
    for (const stream of streams) stream.destroy()
    server.close()
    await once(server, "close")
  }
  return { address: `127.0.0.1:${port}`, port, streams, close }
}

export const forwardingOf = (name: string, forwarding: Pick<Forwarding, "client" | "answered">) => {
  const { player: _player, ...entering } = entrance(name)
  return {
    ...entering,
    // As they stand here the ids are good.
    key: { projectId: "p" as ProjectId, roomId: "r" as RoomId },
    type: null,
    schemaHash: "hash",
    ...forwarding
  } satisfies Forwarding
}

/** The same over a real connection on loopback. */
export const linkedGate = async (
  { player, ...more }: Partial<ReachedRoom> & Pick<PoolSettings, "player"> = {},
  versions?: ProtocolVersions
) => {
  const { gate, occupancy } = makeGate()
  const room = {
    version: 3,
    relay: false,
    schemaHash: "other",
    schema: { a: 1 },
    keepsPlayers: false
  }
  const loaded: LoadedPlayer = { _tag: "Loaded", fields: new Uint8Array([9]) }
  const reached = () => ({ gate, ...room, ...more })
  const owner = makePool({ room: reached, player: player ?? loaded })
  const listener = await listening(owner.pool)
  const entry = makePool(versions && { versions })

  const answers: Array<ForwardAnswer> = []
  const enter: GateUnderTest["enter"] = async (name, more) => {
    const { client, ...rest } = forwardable(name)
    const answer = await new Promise<ForwardAnswer>((answered) => {
      const forwarding = { ...forwardingOf(name, { client, answered }), ...more }
      entry.pool.forward(listener.address, forwarding)
    })
    answers.push(answer)
    if (answer._tag !== "Entered") return null
    return { seat: answer.seat, ref: answer.seat.ref, sink: client, ...rest }
  }

  /** Everything that one side has sent by now is read by the other one. */
  const settled = async (): Promise<void> => {
    // Counts are told with the signs of life.
    entry.pool.look()
    owner.pool.look()
    await until("the frames have crossed", () => {
      const [one, other] = [entry.pool.figures(), owner.pool.figures()]
      return one.framesOut === other.framesIn - 2 && other.framesOut === one.framesIn - 1
    })
  }
  const end = async (): Promise<void> => {
    await entry.pool.end(new AbortController().signal)
    await listener.close()
  }
  return { gate, occupancy, enter, settled, end, entry, owner, listener, answers }
}
