import { type ChildProcess, spawn } from "node:child_process"
import { Socket } from "node:net"

import { type BootSource, NoMeansNotice } from "../BootSource.ts"
import { mapperCommand } from "../MapperCommand.ts"
import { mediaCommand } from "../MediaCommand.ts"
import { type MappedBytes, mappedBytesOf } from "../ProcessMemory.ts"
import { roomCommand } from "../RoomCommand.ts"
import type { Command } from "../WalledCommand.ts"
import {
  type LauncherOrder,
  type LauncherWord,
  PipeNames,
  type StartOrder
} from "./LauncherMessages.ts"
import { mapperUidOf, mediaUidOf, RoomUids } from "./RoomUids.ts"
import { noticesOf, type Walls } from "./Walls.ts"

/** Says something to the service, with a handle that is the service's from then on. */
export type Tell = (word: LauncherWord, handle?: Socket) => void

export interface LauncherSettings {
  readonly nodePath: string
  readonly boot: BootSource
  readonly walls: Walls
}

/**
 * Starts, ends and reports room processes and the process that maps stacks. The launcher reads
 * nothing of what they say: their pipes are the service's as soon as they are there.
 */
export class Launcher {
  readonly #settings: LauncherSettings
  readonly #tell: Tell
  readonly #processes = new Map<number, ChildProcess>()
  readonly #uids: RoomUids | null

  constructor(settings: LauncherSettings, tell: Tell) {
    this.#settings = settings
    this.#tell = tell
    const { firstUid } = settings.walls
    this.#uids = firstUid === null ? null : new RoomUids(firstUid)
  }

  take(order: LauncherOrder): void {
    switch (order.order) {
      case "hello":
        return this.#tell(readyWord(this.#settings))
      case "start":
      case "startMapper":
      case "startMedia":
        return this.#start(order)
      case "kill":
        return void this.#processes.get(order.id)?.kill("SIGKILL")
      case "weigh":
        return this.#tell({ word: "weighed", id: order.id, mapped: this.#mapped(order) })
    }
  }

  /** Ends every process. */
  end(): void {
    for (const child of this.#processes.values()) child.kill("SIGKILL")
  }

  #start(order: StartOrder): void {
    const { id } = order
    const { program, args } = this.#commandFor(order)
    const refused = (why: string): void => {
      this.#uids?.free(id)
      this.#tell({ word: "notStarted", id, why })
    }
    try {
      // A session of its own: the signals of a terminal are for the service, which drains its rooms.
      const child = spawn(program, args, {
        env: {},
        cwd: "/",
        stdio: ["ignore", "pipe", "pipe", "pipe"],
        detached: true
      })
      if (child.pid === undefined) child.once("error", ({ message }) => refused(message))
      else this.#handOver(id, child, child.pid)
    } catch (error) {
      refused(error instanceof Error ? error.message : String(error))
    }
  }

  #commandFor(order: StartOrder): Command {
    const { nodePath, boot, walls } = this.#settings
    if (order.order === "startMapper") {
      const uid = walls.firstUid === null ? null : mapperUidOf(walls.firstUid)
      return mapperCommand(nodePath, boot, { uid, walls })
    }
    if (order.order === "startMedia") {
      const uid = walls.firstUid === null ? null : mediaUidOf(walls.firstUid)
      return mediaCommand(nodePath, { uid, walls })
    }
    const { id, memoryMiB, isDev, physics = false, gives = false, rooms } = order
    const uid = this.#uids?.take(id) ?? null
    const shared = rooms === undefined ? {} : { rooms }
    return roomCommand(nodePath, boot, { memoryMiB, isDev, physics, uid, walls, gives, ...shared })
  }

  #handOver(id: number, child: ChildProcess, pid: number): void {
    this.#processes.set(id, child)
    child.once("exit", (code, signal) => {
      this.#processes.delete(id)
      this.#uids?.free(id)
      this.#tell({ word: "exited", id, code, signal })
    })
    // A signal could not be sent: the process is gone, or not ours to end.
    child.on("error", () => {})
    const pipes = [child.stdio[3], child.stdout, child.stderr]
    for (const [at, name] of PipeNames.entries()) {
      const pipe = pipes[at]
      if (!(pipe instanceof Socket)) continue
      // It may wait for its turn to be handed over, and the process may end meanwhile.
      pipe.on("error", () => {})
      this.#tell({ word: "pipe", id, name }, pipe)
    }
    this.#tell({ word: "started", id, pid })
  }

  /** Reads a file that only the room's own user may read: the launcher becomes that user for the reading. */
  #mapped({ id, withCode }: WeighOrder): MappedBytes | null {
    const pid = this.#processes.get(id)?.pid
    const uid = this.#uids?.of(id) ?? null
    if (pid === undefined) return null
    if (uid === null) return mappedBytesOf(pid, withCode)
    try {
      // The kernel wants both to be the room's.
      process.setegid?.(uid)
      process.seteuid?.(uid)
      return mappedBytesOf(pid, withCode)
    } catch {
      return null
    } finally {
      process.seteuid?.(0)
      process.setegid?.(0)
    }
  }
}

type WeighOrder = Extract<LauncherOrder, { readonly order: "weigh" }>

const readyWord = ({ boot, walls }: LauncherSettings): LauncherWord => ({
  word: "ready",
  measures: boot.vmDataKiB !== null,
  endsWithRooms: walls.setpriv !== null,
  notices: [...(boot.vmDataKiB === null ? [NoMeansNotice] : []), ...noticesOf(walls)]
})
