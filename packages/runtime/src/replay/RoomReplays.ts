import { makeBucket, takeToken, type TokenBucket } from "@atrium/wire/limits/TokenBucket"
import { ReplayCodes } from "@atrium/wire/replay/ReplayCodes"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"
import { RoomRefusals } from "@atrium/wire/rooms/RoomRefusal"
import type { ReplaySettings } from "@atrium/wire/schema/RoomSchema"

import type { Compression } from "../host/Compression.ts"
import type { ChunkWanted, ClipOptions } from "../host/HostOrders.ts"
import { Reports } from "../host/RoomReports.ts"
import type { RoomCore } from "../room/RoomCore.ts"
import type {
  ReplayClip,
  ReplayFrame,
  ReplayStart,
  ReplayStop,
  RoomReplay
} from "../room/RoomReplay.ts"
import { RpcError } from "../room/RpcError.ts"
import { excerptOf, type Window } from "./Excerpt.ts"
import { Pins } from "./Pins.ts"
import { Recorder } from "./Recorder.ts"
import { Recording } from "./Recording.ts"
import { badRequest, secondsOf, ttlOf, windowOf } from "./ReplayArguments.ts"
import type { Footage } from "./ReplayRing.ts"

/** Everything about the footage of one room whose type declares a replay. */
export class RoomReplays implements RoomReplay {
  readonly recorder: Recorder
  readonly #core: RoomCore
  readonly #settings: ReplaySettings
  readonly #compression: Compression
  readonly #pins = new Pins()
  readonly #recording: Recording
  readonly #clips: TokenBucket
  readonly #excerpts: TokenBucket
  #clipsUnderWay = 0
  #cancelWatch = (): void => {}

  constructor(core: RoomCore, settings: ReplaySettings, compression: Compression) {
    this.#core = core
    this.#settings = settings
    this.#compression = compression
    this.#clips = makeBucket(ReplayLimits.clips, core.clock.nowMs())
    this.#excerpts = makeBucket(ReplayLimits.excerpts, core.clock.nowMs())
    this.#recording = new Recording(this.#pins, (chunk) => core.send(Reports.chunkReady(chunk)))
    this.recorder = new Recorder(settings.seconds * 1000, {
      publicView: core.publicView,
      compression,
      nowMs: () => core.clock.nowMs(),
      settle: () => core.flushPatch(),
      touch: () => core.touch(),
      warn: (line) => core.log("warn", line),
      added: (chunk) => this.#recording.added(chunk),
      disarmed: () => this.#disarmed()
    })
    const { recording = null } = core.start
    // The first chunk that there will be has the number 1.
    if (recording !== null) this.#record(recording, 1)
  }

  async clip(options: ClipOptions = {}): Promise<ReplayClip> {
    const seconds = secondsOf(options.seconds, this.#settings.seconds)
    const ttl = ttlOf(options.ttl, this.#settings.ttl)
    const nowMs = this.#core.clock.nowMs()
    this.#demandArmed()
    const { max } = ReplayLimits.clipsUnderWay
    if (this.#clipsUnderWay >= max) throw cooldown(`clip: ${max} clips are still being stored`)
    if (!takeToken(this.#clips, ReplayLimits.clips, nowMs)) {
      throw cooldown("clip: the room may make one clip a second")
    }
    this.#clipsUnderWay += 1
    try {
      return await this.#store(ttl, nowMs - seconds * 1000)
    } finally {
      this.#clipsUnderWay -= 1
    }
  }

  async record(options: { readonly ttl?: string } = {}): Promise<ReplayStart> {
    const ttl = ttlOf(options.ttl, this.#settings.ttl)
    this.#demandArmed()
    const answer = await this.#core.calls.call("replay.record", { ttl })
    // The service answers in the form that the contract of the call has.
    const started = answer as ReplayStart
    const first = this.recorder.cut()
    if (first !== null) {
      this.#record(started.replayId, first)
      return started
    }
    this.#core.send(Reports.recordingLost())
    throw disarmed()
  }

  async stop(): Promise<ReplayStop> {
    // What has been recorded until now belongs to it.
    if (this.#recording.replayId !== null) this.recorder.cut()
    await this.recorder.compressed
    const answer = await this.#core.calls.call("replay.stop", {})
    this.#recording.end()
    // As above.
    return answer as ReplayStop
  }

  async excerpt(given: Window): Promise<ReadonlyArray<ReplayFrame>> {
    const window = windowOf(given)
    this.#demandArmed()
    await this.recorder.compressed
    const nowMs = this.#core.clock.nowMs()
    const [oldest] = this.recorder.ring.chunks
    const startMs = oldest?.fromMs ?? this.recorder.open?.writer.startMs ?? nowMs
    if (window.fromMs < startMs || window.toMs > nowMs) {
      throw badRequest(`excerpt: the footage reaches from ${startMs} to ${nowMs}`)
    }
    if (!takeToken(this.#excerpts, ReplayLimits.excerpts, nowMs)) {
      const text = "excerpt: the room may take four at once, and one more each second"
      throw new RpcError(RoomRefusals.excerptCooldown.code, text)
    }
    const footage = await this.#footage()
    const { port, schema } = this.#core
    const excerptPort = {
      compression: this.#compression,
      nowMs: () => port.nowMs(),
      afterTurn: (run: () => void) => port.afterTurn(run)
    }
    return excerptOf(excerptPort, schema, { footage, window })
  }

  /** The service asks for a chunk of a clip or of a recording. */
  takeChunk(requestId: number, { number, recording }: ChunkWanted): void {
    const bytes = this.#pins.get(number)?.bytes ?? new Uint8Array(0)
    this.#core.send(Reports.chunk(requestId, bytes))
    if (recording) this.#recording.taken(number)
  }

  /** Somebody else than room code asks for a clip. */
  makeClip(requestId: number, options: ClipOptions): void {
    this.clip(options).then(
      (clip) => this.#core.send(Reports.clipMade(requestId, { _tag: "Made", clip })),
      (error: unknown) => {
        if (!(error instanceof RpcError)) return this.#core.logError("replay.clip", error)
        const { code, message } = error
        this.#core.send(Reports.clipMade(requestId, { _tag: "Refused", code, message }))
      }
    )
  }

  /** The service has ended the recording. */
  recordingEnded(replayId: string, why: string): void {
    if (this.#recording.replayId !== replayId) return
    this.#recording.end()
    this.#core.log("warn", `replay: the recording stopped: ${why}`)
  }

  /** The footage may have so many bytes from now on. */
  resize(bytes: number): void {
    const isSmaller = bytes < this.recorder.ring.bytesMax
    this.recorder.ring.resize(bytes)
    // Memory that nothing refers to any more is given back by a collection of garbage only.
    if (isSmaller) this.#core.port.liveBytes()
  }

  /** The room's process ends: what is recorded until now leaves it. */
  close(): void {
    if (this.#recording.replayId === null) return
    this.#recording.closing()
    this.recorder.cut()
  }

  /** @param first the number of its first chunk */
  #record(replayId: string, first: number): void {
    this.#recording.begin(replayId, first)
    this.#watch()
  }

  /** The recording of a room in which nothing happens gets its chunks in time, too. */
  #watch(): void {
    this.#cancelWatch()
    this.#cancelWatch = this.#core.port.setTimer(ReplayLimits.chunkSpan.ms, () => {
      if (this.#recording.replayId === null) return
      this.recorder.lapsed()
      this.#watch()
    })
  }

  #demandArmed(): void {
    if (this.recorder.open === null) this.recorder.settled()
    if (this.recorder.open === null) throw disarmed()
  }

  #disarmed(): void {
    if (this.#recording.replayId === null) return
    this.#core.send(Reports.recordingLost())
    this.recordingEnded(this.#recording.replayId, "the room's state exceeds the ring")
  }

  async #footage(): Promise<ReadonlyArray<Footage>> {
    const footage = await this.recorder.footage()
    if (footage === null) throw disarmed()
    return footage
  }

  async #store(ttl: string, fromMs: number): Promise<ReplayClip> {
    const wanted = (await this.#footage()).filter(({ toMs }) => toMs > fromMs)
    const chunks = newest(wanted, this.recorder.ring.bytesMax)
    demandSize(chunks)
    for (const chunk of chunks) this.#pins.pin(chunk)
    try {
      const payload = { ttl, fromMs, chunks: chunks.map(({ number }) => number) }
      // The service answers in the form that the contract of the call has.
      return (await this.#core.calls.call("replay.clip", payload)) as ReplayClip
    } finally {
      for (const { number } of chunks) this.#pins.unpin(number)
    }
  }
}

/** `room.replay` of a type that declares none. */
export const noReplay: RoomReplay = {
  clip: () => Promise.reject(replayOff()),
  record: () => Promise.reject(replayOff()),
  stop: () => Promise.reject(replayOff()),
  excerpt: () => Promise.reject(replayOff())
}

export const replayOff = (): RpcError =>
  new RpcError(ReplayCodes.off, "replay: the room's type declares no replay in its schema")

const cooldown = (text: string): RpcError => new RpcError(ReplayCodes.clipCooldown, text)

const disarmed = (): RpcError =>
  new RpcError(
    ReplayCodes.clipDisarmed,
    `replay: the state is over the ${ReplayLimits.keyframeBytes.max} bytes that a ring can hold`
  )

/** The chunks that come last and fit, compressed, into the ring: at least one. */
const newest = (chunks: ReadonlyArray<Footage>, bytesMax: number): ReadonlyArray<Footage> => {
  let bytes = 0
  let first = chunks.length
  while (first > 0) {
    bytes += chunks[first - 1]?.bytes.length ?? 0
    if (bytes > bytesMax && first < chunks.length) break
    first -= 1
  }
  return chunks.slice(first)
}

/** The service cuts the first chunk and looks again: of that one alone it is not known here how much remains. */
const demandSize = ([, ...whole]: ReadonlyArray<Footage>): void => {
  const bytes = whole.reduce((sum, { plainBytes }) => sum + plainBytes, 0)
  const { max } = ReplayLimits.clipBytes
  if (bytes <= max) return
  const text = `clip: ${bytes} bytes are over ${max}; ask for fewer seconds`
  throw new RpcError(ReplayCodes.clipTooLarge, text)
}
