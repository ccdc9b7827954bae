import { LogLimits } from "@atrium/domain/logs/LogLimits"
import { KiB } from "@atrium/wire/limits/Limit"

import type { Launch, LaunchedPipes } from "../launcher/LauncherLink.ts"
import { GoLine, PipeNames } from "../launcher/LauncherMessages.ts"
import type { BundlePlace, Origin } from "./StackText.ts"

/** Receives what the process that maps stacks does. */
export interface MapperOwner {
  /** It is up. */
  started(): void
  /** Origins of the places that were asked last. */
  answered(origins: ReadonlyArray<Origin>): void
  /** Once, and nothing after it. */
  ended(): void
}

/** A process that maps stacks, one request at a time. */
export interface Mapper {
  /** `0` = there is no process yet. */
  readonly pid: number
  /** @param map in base64; `null` = that of the request before */
  ask(map: Uint8Array | null, places: ReadonlyArray<BundlePlace>): void
  /** Always works; `ended` follows. */
  kill(): void
}

/** An answer of the longest names, each character escaped. */
const AnswerCharsMax = LogLimits.stackPlaces.max * 6 * (LogLimits.stackOriginChars.max + KiB)

/** The process itself: bytes in and out. It reads what tenants wrote, so that it is not believed. */
export class MapperProcess implements Mapper {
  readonly #owner: MapperOwner
  readonly #kill: () => void
  #pid = 0
  /** `null` = not yet. */
  #pipes: LaunchedPipes | null = null
  #held = ""
  #started = false
  #killed = false
  #ended = false

  constructor(launch: Launch, owner: MapperOwner) {
    this.#owner = owner
    this.#kill = launch({
      started: (pid, pipes) => this.#begin(pid, pipes),
      ended: () => this.#end()
    })
  }

  get pid(): number {
    return this.#pid
  }

  ask(map: Uint8Array | null, places: ReadonlyArray<BundlePlace>): void {
    const request = {
      mapBytes: map?.length ?? 0,
      places: places.map(({ line, column }) => [line, column])
    }
    this.#pipes?.frames.write(`${JSON.stringify(request)}\n`)
    if (map !== null) this.#pipes?.frames.write(map)
  }

  kill(): void {
    if (this.#ended || this.#killed) return
    this.#killed = true
    this.#kill()
    this.#closePipes()
  }

  #begin(pid: number, pipes: LaunchedPipes): void {
    this.#pid = pid
    this.#pipes = pipes
    for (const name of PipeNames) pipes[name].on("error", () => {})
    if (this.#killed) return this.#closePipes()
    // It says nothing there that anybody reads.
    pipes.stdout.destroy()
    pipes.stderr.destroy()
    pipes.frames.setEncoding("utf8")
    pipes.frames.on("data", (text: string) => this.#read(text))
    pipes.frames.write(GoLine)
  }

  #closePipes(): void {
    for (const name of PipeNames) this.#pipes?.[name].destroy()
  }

  #read(text: string): void {
    this.#held += text
    if (this.#held.length > AnswerCharsMax) return this.kill()
    if (this.#killed || !this.#held.endsWith("\n")) return
    const origins = originsIn(this.#held)
    this.#held = ""
    if (origins === null) return this.kill()
    if (this.#started) return this.#owner.answered(origins)
    this.#started = true
    this.#owner.started()
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#closePipes()
    this.#owner.ended()
  }
}

/** The origins of an answer, which may be anything; `null` = it is no answer. */
const originsIn = (answer: string): ReadonlyArray<Origin> | null => {
  try {
    const said: unknown = JSON.parse(answer)
    const isOrigin = (one: unknown): one is Origin => one === null || typeof one === "string"
    return Array.isArray(said) && said.every(isOrigin) ? said : null
  } catch {
    return null
  }
}
