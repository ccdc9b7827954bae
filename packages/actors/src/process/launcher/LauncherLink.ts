import { type ChildProcess, spawn } from "node:child_process"
import { Socket } from "node:net"
import { fileURLToPath } from "node:url"

import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"

import type { ProcessEnd } from "../ExitCause.ts"
import type { MappedBytes } from "../ProcessMemory.ts"
import { keptRightsCommand } from "./KeptRights.ts"
import {
  type LauncherOrder,
  type LauncherWord,
  type PipeName,
  PipeNames,
  type StartOrder
} from "./LauncherMessages.ts"
import type { Channel, LauncherOptions } from "./ServeLauncher.ts"

const program = fileURLToPath(new URL("./main.ts", import.meta.url))

/** The service's ends of a process's pipes. */
export type LaunchedPipes = Readonly<Record<PipeName, Socket>>

/** Receives what becomes of a process that was asked for. */
export interface LaunchedOwner {
  /** Nothing of it has run yet. */
  started(pid: number, pipes: LaunchedPipes): void
  /** Once, and always the last call; never within the call that asked for the process. */
  ended(end: Omit<ProcessEnd, "errorTail">): void
}

/** Asks the launcher for a process. @returns how to end it */
export type Launch = (owner: LaunchedOwner) => () => void

export interface LinkOptions extends LauncherOptions {
  /** The launcher is the parent of this process, and not a child. */
  readonly launched?: boolean
  readonly onNotice: (line: string) => void
  /** The launcher that is the parent is gone: no process can be started any more. */
  readonly onLost?: () => void
}

interface Launched {
  readonly owner: LaunchedOwner
  readonly pipes: Partial<Record<PipeName, Socket>>
  pid: number
}

/**
 * The service's side of the launcher: orders go there, pipes and ends of processes come back. A
 * launcher that ends takes its processes along; one that is a child of the service is started again.
 */
export class LauncherLink {
  readonly #options: LinkOptions
  readonly #launched = new Map<number, Launched>()
  readonly #weighings = new Map<number, (mapped: MappedBytes | null) => void>()
  #channel: Channel | null = null
  #child: ChildProcess | null = null
  #ready: Extract<LauncherWord, { word: "ready" }> | null = null
  #narrow = true
  #closed = false
  #counter = 0
  #onFirstWord: ((failure: string | null) => void) | null = null

  constructor(options: LinkOptions) {
    this.#options = options
  }

  /** Starts the launcher, or greets the one that has started this process. Rejects when no room can run. */
  async open(): Promise<void> {
    const failure = await new Promise<string | null>((resolve) => {
      this.#onFirstWord = resolve
      if (this.#options.launched === true) this.#greet(process)
      else this.#startChild()
    })
    if (failure === null) return
    await this.close()
    throw new Error(failure)
  }

  /** Whether the system tells of a process's memory and limits it. */
  get measures(): boolean {
    return this.#ready?.measures === true
  }

  /** Asks for a room's process. @returns its number, which is not its pid */
  start(
    room: Omit<Extract<StartOrder, { readonly order: "start" }>, "order" | "id">,
    owner: LaunchedOwner
  ): number {
    return this.#start({ order: "start", id: ++this.#counter, ...room }, owner)
  }

  /** Asks for the process that maps stacks. @returns its number */
  startMapper(owner: LaunchedOwner): number {
    return this.#start({ order: "startMapper", id: ++this.#counter }, owner)
  }

  /** Asks for the process that carries the media of voice calls. @returns its number */
  startMedia(owner: LaunchedOwner): number {
    return this.#start({ order: "startMedia", id: ++this.#counter }, owner)
  }

  kill(id: number): void {
    this.#send({ order: "kill", id })
  }

  /** Memory of a room that V8 counts nowhere, which only its own user may look at; `null` = nobody may know. */
  mappedBytes(id: number, withCode: boolean): Promise<MappedBytes | null> {
    return new Promise((resolve) => {
      this.#weighings.get(id)?.(null)
      this.#weighings.set(id, resolve)
      if (!this.#send({ order: "weigh", id, withCode })) this.#weighed(id, null)
    })
  }

  /** Resolves when the launcher is gone, if it is this service's own. */
  async close(): Promise<void> {
    this.#closed = true
    const child = this.#child
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once("exit", resolve))
    if (child.connected) child.disconnect()
    await gone
  }

  #startChild(): void {
    const { nodePath, dropToUid } = this.#options
    const settings = JSON.stringify({ nodePath, dropToUid })
    const rights = this.#narrow ? (keptRightsCommand() ?? []) : []
    const node = [process.execPath, "--no-warnings", program, settings]
    const [first = process.execPath, ...args] = [...rights, ...node]
    try {
      const child = spawn(first, args, {
        env: {},
        cwd: "/",
        // The launcher notices the end of its standard input, which the service never writes to.
        stdio: ["pipe", "ignore", "inherit", "ipc"],
        detached: true
      })
      this.#child = child
      child.stdin?.on("error", () => {})
      child.once("error", () => this.#childEnded("it cannot be started"))
      child.once("exit", (code, signal) => this.#childEnded(signal ?? `exit code ${code}`))
      if (child.pid !== undefined) this.#greet(child)
    } catch (error) {
      this.#childEnded(error instanceof Error ? error.message : String(error))
    }
  }

  #greet(channel: Channel): void {
    this.#channel = channel
    channel.on("message", (word, handle) => {
      // Written by the launcher.
      this.#hear(word as LauncherWord, handle instanceof Socket ? handle : null)
    })
    if (this.#options.launched === true) channel.on("disconnect", () => this.#parentEnded())
    this.#send({ order: "hello" })
  }

  #start(order: StartOrder, owner: LaunchedOwner): number {
    const { id } = order
    this.#launched.set(id, { owner, pipes: {}, pid: 0 })
    const sent = this.#send(order)
    if (!sent) setImmediate(() => this.#end(id, { notStarted: "there is no launcher just now" }))
    return id
  }

  #send(order: LauncherOrder): boolean {
    const channel = this.#channel
    if (channel === null || !channel.connected || channel.send === undefined) return false
    channel.send(order, undefined, () => {})
    return true
  }

  #hear(word: LauncherWord, handle: Socket | null): void {
    switch (word.word) {
      case "ready":
        if (this.#ready === null) for (const line of word.notices) this.#options.onNotice(line)
        this.#ready = word
        return this.#firstWord(null)
      case "failed":
        return this.#firstWord(word.message)
      case "pipe": {
        const launched = this.#launched.get(word.id)
        if (launched === undefined || handle === null) return void handle?.destroy()
        launched.pipes[word.name] = handle
        return
      }
      case "started":
        return this.#started(word.id, word.pid)
      case "notStarted":
        return this.#end(word.id, { notStarted: word.why })
      case "exited":
        return this.#end(word.id, { code: word.code, signal: word.signal })
      case "weighed":
        return this.#weighed(word.id, word.mapped)
    }
  }

  #firstWord(failure: string | null): void {
    this.#onFirstWord?.(failure)
    this.#onFirstWord = null
  }

  #started(id: number, pid: number): void {
    const launched = this.#launched.get(id)
    if (launched === undefined) return
    launched.pid = pid
    const { frames, stdout, stderr } = launched.pipes
    if (frames !== undefined && stdout !== undefined && stderr !== undefined) {
      return launched.owner.started(pid, { frames, stdout, stderr })
    }
    // The kernel drops what a process has no descriptors for.
    this.kill(id)
    this.#end(id, { notStarted: "the service has no descriptors left for its pipes" })
  }

  #weighed(id: number, mapped: MappedBytes | null): void {
    this.#weighings.get(id)?.(mapped)
    this.#weighings.delete(id)
  }

  #end(id: number, end: Partial<ProcessEnd>): void {
    const launched = this.#launched.get(id)
    if (launched === undefined) return
    this.#launched.delete(id)
    this.#weighed(id, null)
    for (const name of PipeNames) if (launched.pid === 0) launched.pipes[name]?.destroy()
    launched.owner.ended({ code: null, signal: null, ...end })
  }

  #endAll(lost: string): void {
    const endsWithRooms = this.#ready?.endsWithRooms === true
    for (const [id, { pid }] of this.#launched) {
      if (!endsWithRooms && pid > 0) killed(pid)
      this.#end(id, pid === 0 ? { notStarted: lost } : { lost })
    }
  }

  #childEnded(how: string): void {
    const knew = this.#ready !== null
    this.#channel = null
    this.#endAll(`the launcher ended: ${how}`)
    if (this.#closed) return
    // Without root's right to read everything it may not even reach its own program.
    if (!knew && this.#narrow) this.#narrow = false
    else if (!knew) return this.#firstWord(`the launcher does not start: ${how}`)
    else
      this.#options.onNotice(`the launcher ended (${how}), its rooms with it; it is started again`)
    // A plain timer: no rule of the specification names this span, and no Effect is at hand here.
    setTimeout(() => {
      if (!this.#closed) this.#startChild()
    }, RoomProcessLimits.launcherRestart.ms).unref()
  }

  #parentEnded(): void {
    this.#channel = null
    this.#endAll("the launcher ended")
    if (!this.#closed) this.#options.onLost?.()
  }
}

const killed = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended by itself.
  }
}
