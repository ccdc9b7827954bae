import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import { FromRoom, HostFrameError, LoadMode } from "@atrium/runtime/host/HostFrames"
import { loadFrame } from "@atrium/runtime/host/HostOrders"
import {
  type PackAnswer,
  PackerFrame,
  PackerFrames,
  readPackAnswer
} from "@atrium/runtime/replay/packer/PackerFrames"
import type { RoomChunkBytes } from "@atrium/runtime/replay/packer/PackFootage"
import { ReplayLimits } from "@atrium/wire/replay/ReplayLimits"

import { PollEveryMs } from "./ProcessPace.ts"
import type { Child, ChildOwner } from "./RoomChild.ts"

/** A chunk of a room that is to be stored. */
export interface PackJob extends RoomChunkBytes {
  /** The descriptor of the room's schema. The same object is sent once. */
  readonly schema: object
}

interface PackerParts {
  readonly spawn: (owner: ChildOwner) => Child
  /** The program of the process. */
  readonly code: () => Promise<Uint8Array>
}

interface Waiting {
  readonly job: PackJob
  readonly resolve: (answer: PackAnswer) => void
}

const pollsOf = (ms: number): number => Math.ceil(ms / PollEveryMs)

/**
 * Packs the chunks of replays in a process that may die, one after the other: what is in them was made by rooms. A chunk
 * that ends the process, or takes too long, is refused, and the next one has a new process. Its clock are the polls.
 */
export class Packer {
  readonly #parts: PackerParts
  readonly #waiting: Array<Waiting> = []
  #waitingBytes = 0
  #child: Child | null = null
  #asked: (Waiting & { readonly id: number }) | null = null
  /** The descriptor that the process has. */
  #schema: object | null = null
  #ids = 0
  #saidBytes = 0
  #poll = 0
  /** The poll since which the process packs, or rests. */
  #since = 0
  #loading = false
  #closed = false
  #onEnded: () => void = () => {}

  constructor(parts: PackerParts) {
    this.#parts = parts
  }

  /** Never rejects. */
  pack(job: PackJob): Promise<PackAnswer> {
    if (this.#closed) return Promise.resolve(refused("the service is stopping"))
    const { packsWaiting, packsWaitingBytes } = ReplayStoreLimits
    const bytes = this.#waitingBytes + job.bytes.length
    if (this.#waiting.length >= packsWaiting.max || bytes > packsWaitingBytes.max) {
      return Promise.resolve(refused("too many chunks wait to be packed"))
    }
    return new Promise((resolve) => {
      this.#waiting.push({ job, resolve })
      this.#waitingBytes = bytes
      this.#next()
    })
  }

  /** Looks after the process; called every `PollEveryMs`. */
  poll(): void {
    this.#poll++
    const child = this.#child
    if (child === null) return
    child.poll(false)
    const { packTime, packerIdle } = ReplayStoreLimits
    const mayTakeMs = this.#asked === null ? packerIdle.ms : packTime.ms
    if (this.#poll - this.#since >= pollsOf(mayTakeMs)) child.kill()
  }

  /** Ends the process; what waits is refused. Resolves when the process is gone. */
  async close(): Promise<void> {
    this.#closed = true
    this.#refuseWaiting("the service is stopping")
    const child = this.#child
    if (child === null) return
    const ended = new Promise<void>((resolve) => (this.#onEnded = resolve))
    child.kill()
    await ended
  }

  #refuseWaiting(why: string): void {
    this.#waitingBytes = 0
    for (const { resolve } of this.#waiting.splice(0)) resolve(refused(why))
  }

  #next(): void {
    if (this.#asked !== null || this.#waiting.length === 0) return
    if (this.#child === null) return void this.#start()
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#waitingBytes -= next.job.bytes.length
    this.#asked = { ...next, id: ++this.#ids }
    this.#since = this.#poll
    this.#saidBytes = 0
    const { job } = next
    if (this.#schema !== job.schema) this.#child.send(PackerFrames.schema(job.schema))
    this.#schema = job.schema
    this.#child.send(PackerFrames.pack(this.#asked.id, job))
  }

  async #start(): Promise<void> {
    if (this.#loading) return
    this.#loading = true
    try {
      const code = await this.#parts.code()
      if (this.#closed) return
      this.#schema = null
      this.#since = this.#poll
      const child = this.#parts.spawn(this.#owner)
      this.#child = child
      child.send(loadFrame(LoadMode.start, code))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#refuseWaiting(why)
    } finally {
      this.#loading = false
    }
    this.#next()
  }

  readonly #owner: ChildOwner = {
    frame: (kind, payload) => {
      if (kind === FromRoom.booted || kind === FromRoom.log) return
      try {
        this.#answered(kind, payload)
      } catch (error) {
        if (!(error instanceof HostFrameError)) throw error
        this.#child?.kill()
      }
    },
    lengthMax: (kind) => (kind === PackerFrame.packed ? ReplayLimits.replayChunkBytes.max : 0),
    came: (bytes) => {
      this.#saidBytes += bytes
      if (this.#saidBytes > saidBytesMax) this.#child?.kill()
    },
    line: () => {},
    broken: () => this.#child?.kill(),
    // The chunk is all that it is sent at a time.
    unread: () => {},
    ended: () => this.#ended()
  }

  #answered(kind: number, payload: Uint8Array): void {
    const { id, answer } = readPackAnswer(kind, payload)
    const asked = this.#asked
    if (asked?.id !== id) throw new HostFrameError("an answer to another chunk")
    this.#asked = null
    this.#since = this.#poll
    asked.resolve(answer)
    this.#next()
  }

  #ended(): void {
    const asked = this.#asked
    this.#asked = null
    this.#child = null
    asked?.resolve(refused("the process that packs chunks ended"))
    this.#onEnded()
    if (!this.#closed) this.#next()
  }
}

/** There is no program that packs. */
export const noPackerCode = (): Promise<Uint8Array> =>
  Promise.reject(new Error("there is no program to pack with"))

/** An answer, and what the process says beside it: the frames of `boot.ts`, and of its log. */
const saidBytesMax = ReplayLimits.replayChunkBytes.max + ReplayStoreLimits.packerSaidBytes.max

const refused = (why: string): PackAnswer => ({ _tag: "Refused", why })
