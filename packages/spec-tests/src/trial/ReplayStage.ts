import { brought, same } from "../check/Expect.ts"
import { type Outcome, taken } from "../families/Outcome.ts"
import type { HttpAnswer } from "./HttpProbe.ts"
import type { RoomSocket } from "./RoomSocket.ts"
import { type RoomStage, roomStage } from "./RoomStage.ts"
import { CallRefused } from "./SocketError.ts"
import type { Trial } from "./Trial.ts"

/** The fixture's type that records itself. */
const recordedType = "recorded"

/** A clip or a recording, as its link shows it. Source: D-57. */
interface ReadReplay {
  readonly startedAtMs: number
  readonly seconds: number
  readonly bytes: number
  readonly expiresAtMs: number
  readonly running: boolean
  readonly chunks: number
}

/** A clip as its room is told of it. */
interface MadeClip {
  readonly clipId: string
  readonly expiresAtMs: number
}

/** A chunk comes each five seconds, and is packed by a process that may have to be started. */
export const chunkWithinMs = 30_000

/** One message of this many bytes fits into any buffer of a client. */
const floodBytes = 256 * 1024

/** Rooms that record themselves, and what is read of their clips and recordings. */
export class ReplayStage {
  readonly rooms: RoomStage
  readonly #trial: Trial

  private constructor(trial: Trial, rooms: RoomStage) {
    this.#trial = trial
    this.rooms = rooms
  }

  static async of(trial: Trial): Promise<ReplayStage> {
    return new ReplayStage(trial, await roomStage(trial))
  }

  client(room: string): Promise<RoomSocket> {
    return this.rooms.client(room, { type: recordedType })
  }

  /** A clip that must be made. */
  async clip(client: RoomSocket, how: object = {}): Promise<MadeClip> {
    const { clipId, expiresAt } = Object(await client.call("clip", how))
    return { clipId: String(clipId), expiresAtMs: Date.parse(String(expiresAt)) }
  }

  async record(client: RoomSocket, how: object = {}): Promise<string> {
    return String(Object(await client.call("record", how)).replayId)
  }

  get(replayId: string): Promise<HttpAnswer> {
    return this.#trial.send({ method: "GET", path: `/v1/replays/${replayId}` })
  }

  chunk(replayId: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    return this.#trial.send({ method: "GET", path: `/v1/replays/${replayId}/chunks/0`, headers })
  }

  /** The replay as its link shows it; a mismatch when there is none. */
  async read(replayId: string): Promise<ReadReplay> {
    const answer = await this.get(replayId)
    const { startedAt, seconds, bytes, expiresAt, running, chunks } = Object(
      brought("a replay", answer, answer.status === 200 ? answer.json : null)
    )
    return {
      startedAtMs: Date.parse(String(startedAt)),
      seconds: Number(seconds),
      bytes: Number(bytes),
      expiresAtMs: Date.parse(String(expiresAt)),
      running: running === true,
      chunks: Array.isArray(chunks) ? chunks.length : 0
    }
  }

  /** Whether the link works. */
  async isThere(replayId: string): Promise<boolean> {
    const { status } = await this.get(replayId)
    if (status !== 404) same("the status of a replay", status, 200)
    return status === 200
  }

  /** Until the recording has so many chunks. */
  async stored(replayId: string, chunks: number): Promise<ReadReplay> {
    return this.#trial.until(
      `a recording of ${chunks} chunks`,
      async () => {
        const { status } = await this.get(replayId)
        if (status === 404) return null
        const read = await this.read(replayId)
        return read.chunks >= chunks ? read : null
      },
      chunkWithinMs
    )
  }

  /** Until no chunk is added to the recording any more. */
  async over(replayId: string): Promise<ReadReplay> {
    return this.#trial.until(
      "the recording is over",
      async () => {
        const read = await this.read(replayId)
        return read.running ? null : read
      },
      chunkWithinMs
    )
  }

  /** Messages to everybody, of so many bytes together, which storage makes small, or not. */
  async flood(client: RoomSocket, bytes: number, noise = false): Promise<void> {
    for (let left = bytes; left > 0; left -= 4 * floodBytes) {
      const part = Math.min(left, 4 * floodBytes)
      const count = Math.max(1, Math.floor(part / floodBytes))
      await client.call("flood", { bytes: Math.floor(part / count), count, noise })
    }
  }

  /** A state of so many bytes of chance. */
  async grow(client: RoomSocket, bytes: number): Promise<void> {
    const piece = 1024 * 1024
    for (let left = bytes; left > 0; left -= piece) {
      await client.call("keep", { bytes: Math.min(left, piece) })
    }
  }

  /** The room plays on while held time passes: a change each five seconds. */
  async play(client: RoomSocket, ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 5_000) {
      await this.#trial.control.advance(Math.min(left, 5_000))
      await client.call("add", { by: 1 })
    }
  }
}

/** Whether the room did what it was asked, or the code of its refusal. */
export const tried = async (
  client: RoomSocket,
  name: "clip" | "record" | "excerpt",
  args: object = {}
): Promise<Outcome> => {
  try {
    await client.call(name, args)
    return taken
  } catch (cause) {
    if (cause instanceof CallRefused) return { taken: false, refused: { code: cause.code } }
    throw cause
  }
}

/** A check's run in rooms that record themselves. */
export const withReplays =
  (run: (stage: ReplayStage, trial: Trial) => Promise<void>) =>
  async (trial: Trial): Promise<void> =>
    run(await ReplayStage.of(trial), trial)
