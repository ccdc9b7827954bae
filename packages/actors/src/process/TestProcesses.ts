import { mkdtemp, rm, writeFile } from "node:fs/promises"
import type { Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { until } from "@atrium/domain/testing/Until"
import { StartOfRoom } from "@atrium/runtime/testing/TestOrders"
import { bundleRooms } from "@atrium/sdk/bundle/Bundle"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"

import type { BootSource } from "./BootSource.ts"
import { Launcher } from "./launcher/Launcher.ts"
import type { Launch, LaunchedPipes } from "./launcher/LauncherLink.ts"
import type { PipeName } from "./launcher/LauncherMessages.ts"
import type { RoomProcessListener, RoomStart } from "./RoomProcess.ts"

/** One call of a listener; client frames are unpacked. */
export type Call = readonly [name: string, ...values: ReadonlyArray<unknown>]

/** No walls but those of boot and of Node. */
export const noWalls = { setpriv: null, prlimit: null, firstUid: null, opensNode: false }

/** Starts a process of this boot as a child of the test, without a launcher between. */
export const launchHere =
  (boot: BootSource, memoryMiB: number): Launch =>
  (owner) => {
    const pipes: Partial<Record<PipeName, Socket>> = {}
    const settings = { nodePath: process.execPath, boot, walls: noWalls }
    const launcher = new Launcher(settings, (word, handle) => {
      // A pipe always comes with its handle.
      if (word.word === "pipe") pipes[word.name] = handle as Socket
      // All of them have come.
      else if (word.word === "started") owner.started(word.pid, pipes as LaunchedPipes)
      else if (word.word === "exited") owner.ended(word)
    })
    setImmediate(() => launcher.take({ order: "start", id: 1, memoryMiB, isDev: false }))
    return () => launcher.take({ order: "kill", id: 1 })
  }

/** A listener that writes everything down. */
export class TestListener {
  readonly calls: Call[] = []
  readonly listener: RoomProcessListener

  constructor() {
    this.listener = new Proxy<Record<string, unknown>>(
      {},
      {
        get: (_, name) => {
          // The listener of a room that records itself hears the same way.
          if (name === "footage") return this.listener
          return (...values: ReadonlyArray<unknown>) => {
            if (name === "deliver" && values[1] instanceof Uint8Array) {
              this.calls.push(["deliver", values[0], unpackValue(values[1])])
            } else this.calls.push([String(name), ...values])
          }
        }
      }
      // Every method of a listener does the same.
    ) as unknown as RoomProcessListener
  }

  /** The first call of this name, waited for. */
  got(name: string): Promise<Call> {
    return until(`${name}, after ${JSON.stringify(this.calls)}`, () =>
      this.calls.find(([called]) => called === name)
    )
  }

  /** The cause and detail of the end, waited for. */
  async exit(): Promise<{ readonly cause: string; readonly detail: string }> {
    const [, exit] = await this.got("exited")
    return exit as { cause: string; detail: string }
  }

  /** The lines that were logged so far. */
  get lines(): ReadonlyArray<string> {
    return this.calls.filter(([name]) => name === "log").map(([, , line]) => String(line))
  }
}

/** Bundles room code that is given as text, under the name `room.ts`. */
export const bundleOf = async (source: string): Promise<Uint8Array> => {
  const folder = await mkdtemp(join(tmpdir(), "atrium-room-"))
  try {
    await writeFile(join(folder, "room.ts"), source)
    return (await bundleRooms({ entries: ["room.ts"], resolveDir: folder })).bytes
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A script in the place of a bundle: what a process does that is not ours. */
export const scriptOf = (source: string): Uint8Array => new TextEncoder().encode(source)

export const startOf = (bundle: Uint8Array, more: Partial<RoomStart> = {}): RoomStart => ({
  ...StartOfRoom,
  type: "arena",
  version: 1,
  bundle,
  ...more
})

/** Tells whether a process of this id is there. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
