import { readFileSync } from "node:fs"
import type { Socket } from "node:net"

import { readBootSource } from "../BootSource.ts"
import { Launcher, type Tell } from "./Launcher.ts"
import type { LauncherOrder } from "./LauncherMessages.ts"
import { firstUidFor } from "./RoomUids.ts"
import { findWalls } from "./Walls.ts"

/** The settings that rooms are started with. */
export interface LauncherOptions {
  readonly nodePath: string
  /** First uid for rooms; `null` = that of the launcher; absent = uids of their own where that can be. */
  readonly dropToUid?: number | null
}

/** A way to another process: the object of a child, or this process's own to its parent. */
export interface Channel {
  readonly connected: boolean
  readonly on: (
    event: "message" | "disconnect",
    heard: (...said: Array<unknown>) => void
  ) => unknown
  readonly send?: (said: object, handle: Socket | undefined, sent: () => void) => boolean
}

/** Serves the service at the other end of a channel. @returns the launcher, once it knows what it can do */
export const serveLauncher = (service: Channel, options: LauncherOptions): (() => void) => {
  // A service that is gone is told nothing.
  const tell: Tell = (word, handle) =>
    void (service.connected && service.send?.(word, handle, () => undefined))
  let launcher: Launcher | null = null
  let failure: string | null = null
  try {
    const boot = readBootSource(options.nodePath)
    const walls = findWalls(options.nodePath, firstUidOf(options))
    launcher = new Launcher({ nodePath: options.nodePath, boot, walls }, tell)
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error)
  }
  // The service is trusted with rooms, and with nothing else.
  service.on("message", (order) => {
    if (failure !== null) tell({ word: "failed", message: failure })
    // Written by the service.
    else launcher?.take(order as LauncherOrder)
  })
  return () => launcher?.end()
}

const firstUidOf = ({ dropToUid }: LauncherOptions): number | null => {
  if (dropToUid !== undefined) return dropToUid
  return process.getuid?.() === 0 ? firstUidFor(process.pid, textOf("/proc/self/uid_map")) : null
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
