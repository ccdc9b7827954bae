import { type ChildProcess, spawn } from "node:child_process"

import { KiB, Limits } from "@atrium/domain/Limits"

import type { BootSource } from "./BootSource.ts"
import type { Command } from "./RoomCommand.ts"
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
  readonly pid: number
  /** @param map in base64; `null` = that of the request before */
  ask(map: Uint8Array | null, places: ReadonlyArray<BundlePlace>): void
  /** Always works; `ended` follows. */
  kill(): void
}

/** Its heap; the rest of its memory are the bytes of the map, and Node itself. */
const HeapMiB = 192
/** Behind rooms, yet far from standing still beside them. */
const Niceness = 5
/** An answer of the longest names, each character escaped. */
const AnswerCharsMax = Limits.stackPlaces.max * 6 * (Limits.stackOriginChars.max + KiB)

/** The command line of the process that maps stacks. It may read no file and open no socket. */
export const mapperCommand = (
  nodePath: string,
  boot: Pick<BootSource, "mapperCode" | "vmDataKiB">,
  uid: number | null
): Command => {
  const options = { uid, niceness: Niceness, originChars: Limits.stackOriginChars.max }
  const node = [
    nodePath,
    "--permission",
    "--no-warnings",
    "--disable-proto=delete",
    "--disable-sigusr1",
    "--no-addons",
    `--max-old-space-size=${HeapMiB}`,
    "--max-semi-space-size=4",
    "--input-type=module",
    "--eval",
    boot.mapperCode,
    JSON.stringify(options)
  ]
  if (boot.vmDataKiB === null) return { program: nodePath, args: node.slice(1) }
  const kiB = boot.vmDataKiB + Limits.stackMapMemory.max / KiB
  return {
    program: "/bin/sh",
    args: ["-c", `ulimit -c 0; ulimit -d ${kiB}; exec "$0" "$@"`, ...node]
  }
}

/** The process itself: bytes in and out. It reads what tenants wrote, so that it is not believed. */
export class MapperProcess implements Mapper {
  readonly pid: number
  readonly #owner: MapperOwner
  readonly #process: ChildProcess | null
  #held = ""
  #started = false
  #ended = false

  constructor({ program, args }: Command, owner: MapperOwner) {
    this.#owner = owner
    const child = spawned(program, args)
    this.#process = child
    this.pid = child?.pid ?? 0
    child?.stdin?.on("error", () => {})
    child?.stdout?.setEncoding("utf8")
    child?.stdout?.on("data", (text: string) => this.#read(text))
    child?.stdout?.on("error", () => {})
    child?.once("exit", () => this.#end())
    child?.once("error", () => this.#end())
    // Nothing that is told at once would find its owner ready.
    if (child === null) setImmediate(() => this.#end())
  }

  ask(map: Uint8Array | null, places: ReadonlyArray<BundlePlace>): void {
    const request = {
      mapBytes: map?.length ?? 0,
      places: places.map(({ line, column }) => [line, column])
    }
    this.#process?.stdin?.write(`${JSON.stringify(request)}\n`)
    if (map !== null) this.#process?.stdin?.write(map)
  }

  kill(): void {
    if (!this.#ended) this.#process?.kill("SIGKILL")
  }

  #read(text: string): void {
    this.#held += text
    if (this.#held.length > AnswerCharsMax) return this.kill()
    if (this.#ended || !this.#held.endsWith("\n")) return
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
    this.#owner.ended()
  }
}

const spawned = (program: string, args: ReadonlyArray<string>): ChildProcess | null => {
  try {
    return spawn(program, args, {
      env: {},
      cwd: "/",
      stdio: ["pipe", "pipe", "ignore"],
      detached: true
    })
  } catch {
    // There is no memory for it, or no process.
    return null
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
