import { LogLimits } from "@atrium/domain/logs/LogLimits"

import type { ProcessMemory } from "../ProcessMemory.ts"
import { PollEveryMs } from "../ProcessPace.ts"
import { splitBundle } from "./BundleMap.ts"
import type { Mapper, MapperOwner } from "./MapperProcess.ts"
import {
  type BundlePlace,
  mayBeStack,
  type Origin,
  placeKey,
  placesIn,
  withOrigins
} from "./StackText.ts"

interface StackMapperParts {
  /** Starts the process that reads maps. */
  readonly start: (owner: MapperOwner) => Mapper
  readonly memoryOf: (pid: number) => ProcessMemory | null
}

/** The state of a bundle's map. */
interface BundleStacks {
  /** In base64; `null` = there is none that is read. */
  readonly map: Uint8Array | null
  readonly origins: Map<string, Origin>
  /** Reading the map failed: it is not tried before this poll. */
  pausedUntil: number
}

interface Request {
  readonly stacks: BundleStacks
  readonly text: string
  /** The poll at which it came. */
  readonly since: number
  readonly resolve: (mapped: string) => void
}

const pollsOf = (ms: number): number => Math.ceil(ms / PollEveryMs)

/**
 * Maps the stacks of room code to its sources. Source maps are the work of tenants: a process that
 * may die reads them, one map at a time. The stack stays as it is when the map is too large, when
 * reading it takes too long or too much memory, and when too many stacks wait. Its clock are the
 * polls: the time that the service was held up ends nothing.
 */
export class StackMapper {
  readonly #parts: StackMapperParts
  readonly #known = new WeakMap<Uint8Array, BundleStacks>()
  readonly #owner: MapperOwner
  #waiting: Array<Request> = []
  #mapper: Mapper | null = null
  #stage: "off" | "starting" | "up" | "ending" = "off"
  /** The bundle whose map the process has. */
  #loaded: BundleStacks | null = null
  #asked: (Request & { readonly places: ReadonlyArray<BundlePlace> }) | null = null
  /** No process is started before this poll. */
  #pausedUntil = 0
  #poll = 0
  /** The poll since which the process starts, maps or rests. */
  #since = 0
  #closed: Promise<void> | null = null
  #onEnded: () => void = () => {}

  constructor(parts: StackMapperParts) {
    this.#parts = parts
    this.#owner = {
      started: () => {
        if (this.#stage === "starting") this.#stage = "up"
        this.#since = this.#poll
        this.#next()
      },
      answered: (origins) => this.#answered(origins),
      ended: () => this.#ended()
    }
  }

  /**
   * Puts sources into a log line that may be a stack. What is known is put in at once; else the
   * promise resolves when the process has answered or has ended. Never rejects.
   */
  map(bundle: Uint8Array, text: string): string | Promise<string> {
    if (!mayBeStack(text)) return text
    const stacks = this.#stacksOf(bundle)
    const isReady =
      stacks.map === null || this.#closed !== null || unknownPlaces(stacks, text).length === 0
    if (isReady || this.#isPaused(stacks) || this.#waiting.length >= LogLimits.stacksWaiting.max) {
      return withOrigins(text, stacks.origins)
    }
    return new Promise((resolve) => {
      this.#waiting.push({ stacks, text, since: this.#poll, resolve })
      this.#next()
    })
  }

  /** Looks after the process and those who wait; called every `PollEveryMs`. */
  poll(): void {
    this.#poll++
    this.#resolve(({ since }) => this.#poll - since >= pollsOf(LogLimits.stackWait.ms))
    const mapper = this.#mapper
    if (mapper === null) return
    const anonBytes = this.#parts.memoryOf(mapper.pid)?.anonBytes ?? 0
    const late = this.#poll - this.#since >= pollsOf(this.#mayTakeMs())
    if (late || anonBytes > LogLimits.stackMapMemory.max) this.#kill()
  }

  /** Ends the process; what waits stays as it is. Resolves when the process is gone. */
  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#onEnded = resolve
      this.#resolve(() => true)
      if (this.#mapper === null) resolve()
      else this.#kill()
    })
    return this.#closed
  }

  #kill(): void {
    if (this.#stage === "starting") this.#pauseAll()
    this.#stage = "ending"
    this.#mapper?.kill()
  }

  #pauseAll(): void {
    this.#pausedUntil = this.#poll + pollsOf(LogLimits.stackMapPause.ms)
  }

  #mayTakeMs(): number {
    if (this.#stage === "starting") return LogLimits.stackMapperStart.ms
    return this.#asked === null ? LogLimits.stackMapperIdle.ms : LogLimits.stackMap.ms
  }

  #stacksOf(bundle: Uint8Array): BundleStacks {
    const known = this.#known.get(bundle)
    if (known !== undefined) return known
    const stacks = { map: splitBundle(bundle).map, origins: new Map(), pausedUntil: 0 }
    this.#known.set(bundle, stacks)
    return stacks
  }

  #isPaused({ pausedUntil }: BundleStacks): boolean {
    return Math.max(pausedUntil, this.#pausedUntil) > this.#poll
  }

  #next(): void {
    if (this.#asked !== null || this.#closed !== null || this.#waiting.length === 0) return
    if (this.#stage === "off") return this.#start()
    if (this.#stage !== "up") return
    const request = this.#waiting.shift()
    if (request !== undefined) this.#ask(request)
  }

  #start(): void {
    this.#stage = "starting"
    this.#since = this.#poll
    this.#mapper = this.#parts.start(this.#owner)
  }

  #ask(request: Request): void {
    const { stacks } = request
    const places = unknownPlaces(stacks, request.text)
    this.#asked = { ...request, places }
    this.#since = this.#poll
    this.#mapper?.ask(this.#loaded === stacks ? null : stacks.map, places)
    this.#loaded = stacks
  }

  #answered(origins: ReadonlyArray<Origin>): void {
    const asked = this.#asked
    if (asked === null || origins.length !== asked.places.length) return this.#kill()
    this.#asked = null
    this.#since = this.#poll
    const known = asked.stacks.origins
    if (known.size + origins.length > LogLimits.stackOriginsKept.max) known.clear()
    for (const [index, place] of asked.places.entries()) {
      known.set(placeKey(place), origins[index] ?? null)
    }
    asked.resolve(withOrigins(asked.text, known))
    this.#next()
  }

  /** It has ended: by itself, at a bound, or as it had nothing to do. */
  #ended(): void {
    const failed = this.#asked
    if (this.#stage === "starting") this.#pauseAll()
    if (failed !== null)
      failed.stacks.pausedUntil = this.#poll + pollsOf(LogLimits.stackMapPause.ms)
    this.#mapper = null
    this.#loaded = null
    this.#asked = null
    this.#stage = "off"
    failed?.resolve(withOrigins(failed.text, failed.stacks.origins))
    this.#resolve(({ stacks }) => this.#isPaused(stacks))
    this.#onEnded()
    this.#next()
  }

  /** Gives up those who wait and match. */
  #resolve(matches: (request: Request) => boolean): void {
    const given = this.#waiting.filter(matches)
    if (given.length === 0) return
    this.#waiting = this.#waiting.filter((request) => !matches(request))
    for (const { resolve, text, stacks } of given) resolve(withOrigins(text, stacks.origins))
  }
}

const unknownPlaces = ({ origins }: BundleStacks, text: string): ReadonlyArray<BundlePlace> =>
  placesIn(text).filter((place) => !origins.has(placeKey(place)))
