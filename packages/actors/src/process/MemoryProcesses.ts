import { zstdCompressSync, zstdDecompressSync } from "node:zlib"

import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import type { Compression } from "@atrium/runtime/host/Compression"
import type { PackAnswer } from "@atrium/runtime/replay/packer/PackerFrames"
import { packFootage } from "@atrium/runtime/replay/packer/PackFootage"
import { messageOf } from "@atrium/runtime/room/ErrorText"
import { fromDescriptor } from "@atrium/wire/schema/FromDescriptor"

import { describeBundle, type Description } from "./DescribeBundle.ts"
import { HeldFrames } from "./HeldFrames.ts"
import type { Launch } from "./launcher/LauncherLink.ts"
import { MemoryChild, type MemoryMachine } from "./MemoryChild.ts"
import { MigrateProcess } from "./MigrateProcess.ts"
import type { PackJob } from "./Packer.ts"
import { PollEveryMs, StandardPace } from "./ProcessPace.ts"
import type { Child, ChildOwner } from "./RoomChild.ts"
import { RoomHost } from "./RoomHost.ts"
import type { RoomNeeds } from "./RoomNeeds.ts"
import type { RoomProcess, RoomProcessListener } from "./RoomProcess.ts"
import type { RoomProcesses } from "./RoomProcesses.ts"

/**
 * Room processes within this process: the memory layer of {@link RoomProcesses}. Each has the host
 * that a real one has, which believes nothing of what it says.
 */
export class MemoryProcesses implements RoomProcesses {
  readonly #open: (owner: ChildOwner) => Child
  readonly #machine: MemoryMachine
  readonly #hosts = new Set<RoomHost>()
  readonly #migrators = new Set<MigrateProcess>()
  readonly #held = new HeldFrames()
  #polls = false
  #closed: Array<() => void> | null = null

  constructor(machine: MemoryMachine) {
    this.#machine = machine
    this.#open = (owner) => new MemoryChild(machine, owner)
  }

  take(listener: RoomProcessListener, { memoryMiB }: RoomNeeds): RoomProcess {
    if (this.#closed !== null) throw new Error("the room processes are closed")
    const host = new RoomHost(
      this.#open,
      {
        memoryMiB,
        pace: StandardPace,
        held: this.#held,
        memoryOf: () => null,
        mappedBytesOf: () => Promise.resolve(null)
      },
      (ended) => this.#ended(ended)
    )
    this.#hosts.add(host)
    host.claim(listener)
    this.#poll()
    return host
  }

  async describe(bundle: Uint8Array): Promise<Description> {
    if (this.#closed !== null) {
      return { ok: false, fault: "machine", message: "the service is stopping" }
    }
    const mapStack = (stack: string) => stack
    const { ms } = RoomProcessLimits.roomDescribe
    return describeBundle({ spawn: this.#open, mapStack }, bundle, ms)
  }

  startMedia: Launch = (owner) => {
    const notStarted = "nothing is launched here"
    this.#machine.setTimer(0, () => owner.ended({ code: null, signal: null, notStarted }))
    return () => undefined
  }

  migrator(bundle: Uint8Array): MigrateProcess {
    if (this.#closed !== null) throw new Error("the room processes are closed")
    const migrator = new MigrateProcess(this.#open, bundle, () => {
      this.#migrators.delete(migrator)
      this.#tellClosed()
    })
    this.#migrators.add(migrator)
    return migrator
  }

  mapStack(_bundle: Uint8Array, line: string): string {
    return line
  }

  async pack({ schema, ...chunk }: PackJob): Promise<PackAnswer> {
    const compression: Compression = {
      compress: async (bytes) => zstdCompressSync(bytes),
      decompress: async (bytes, maxOutputLength) => zstdDecompressSync(bytes, { maxOutputLength })
    }
    try {
      return {
        _tag: "Packed",
        chunk: await packFootage(compression, fromDescriptor(schema), chunk)
      }
    } catch (error) {
      return { _tag: "Refused", why: messageOf(error) }
    }
  }

  /** Ends every process with the cause `stopped`. Resolves when all of them are gone. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#closed ??= []
      this.#closed.push(resolve)
      for (const host of this.#hosts) host.kill("stopped")
      for (const migrator of this.#migrators) migrator.close()
      this.#tellClosed()
    })
  }

  #ended(host: RoomHost): void {
    this.#hosts.delete(host)
    this.#tellClosed()
  }

  #tellClosed(): void {
    if (this.#hosts.size + this.#migrators.size > 0) return
    for (const done of this.#closed?.splice(0) ?? []) done()
  }

  #poll(): void {
    if (this.#polls || this.#hosts.size === 0) return
    this.#polls = true
    this.#machine.setTimer(PollEveryMs, () => {
      this.#polls = false
      for (const host of this.#hosts) host.poll(false)
      this.#poll()
    })
  }
}
