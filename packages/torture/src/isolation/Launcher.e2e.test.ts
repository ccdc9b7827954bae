import { chownSync, readFileSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

import { loggedEnds } from "@atrium/api/testing/HogStage"
import {
  descendantsOf,
  launcherOf,
  roomProcessesOf,
  stillRunning
} from "@atrium/api/testing/ProcessTree"
import { single } from "@atrium/api/testing/rooms/singleSchema"
import {
  makeHome,
  repository,
  type RunningService,
  type ServiceHome,
  uploadBundle
} from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom } from "@atrium/sdk/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const launcherFile = fileURLToPath(import.meta.resolve("@atrium/actors/process/launcher/main"))
/** Somebody who is nobody else on this machine. */
const User = 54_321
const isRoot = process.platform === "linux" && process.getuid?.() === 0

/** The topmost folder above this file that others may not enter, as root's home or one of mktemp. */
const closedFolder = (folder = dirname(launcherFile)): string | null => {
  const above = dirname(folder)
  const higher = above === folder ? null : closedFolder(above)
  return higher ?? ((statSync(folder).mode & 0o001) === 0 ? folder : null)
}

/** Shows the checkout to that user at its own path: the launcher's child reads it, as in the image. */
const mountsFor = (closed: string | null): string =>
  closed === null
    ? ""
    : [
        `aside=$(mktemp -d); here='${repository}'`,
        'mount --bind "$here" "$aside"',
        `mount -t tmpfs -o mode=755 none '${closed}'`,
        'mkdir -p "$here"; mount --move "$aside" "$here"; rmdir "$aside"; cd "$here"'
      ].join("\n")

const statusOf = (pid: number): ReadonlyMap<string, string> =>
  new Map(
    readFileSync(`/proc/${pid}/status`, "utf8")
      .split("\n")
      .map((line) => [line.split(":")[0] ?? "", line.slice(line.indexOf(":") + 1).trim()])
  )

const uidsOf = (pid: number): ReadonlySet<string> =>
  new Set(statusOf(pid).get("Uid")?.split(/\s+/) ?? [])

const limitOf = (pid: number, name: string): ReadonlyArray<string> =>
  new RegExp(`^${name} +(\\S+) +(\\S+)`, "m")
    .exec(readFileSync(`/proc/${pid}/limits`, "utf8"))
    ?.slice(1) ?? []

const join = (service: RunningService, roomId: string): Promise<ClientRoom<typeof single>> =>
  new Client(service.url, { project: service.project }).joinOrCreate(single, { roomId })

/** The name of a program that runs; empty = it has ended. */
const nameOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8")
  } catch {
    return ""
  }
}

/** Room processes that have given up their privileges: one that has not is a shell, or what takes them away. */
const roomsOf = (pid: number): ReadonlyArray<number> =>
  roomProcessesOf(pid).filter((each) => nameOf(each).startsWith("node"))

/** The process that maps stacks, after it has mapped one. */
const mapperOf = async (service: RunningService): Promise<number> => {
  const map = { version: 3, sources: ["../room.ts"], names: [], mappings: "AAAA" }
  const comment = `//# sourceMappingURL=data:application/json;base64,`
  const base64 = Buffer.from(JSON.stringify(map)).toString("base64")
  const bundle = Buffer.from(`throw new Error("no")\n${comment}${base64}\n`)
  expect(await uploadBundle(service, bundle)).toMatchObject({
    status: 400,
    body: { error: { message: "bundle: room.ts:1:7 Error: no" } }
  })
  const mapper = roomProcessesOf(service.pid).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("mapBytes")
  )
  return mapper ?? 0
}

const expectNoRights = (pid: number): void => {
  const status = statusOf(pid)
  for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]) {
    expect([set, status.get(set)]).toEqual([set, "0000000000000000"])
  }
  expect(status.get("NoNewPrivs")).toBe("1")
  expect(status.get("Groups")).toBe("")
  expect(limitOf(pid, "Max open files")).toEqual(["128", "128"])
  expect(limitOf(pid, "Max processes")).toEqual(["64", "64"])
  expect(limitOf(pid, "Max core file size")).toEqual(["0", "0"])
}

describe.runIf(isRoot)("the launcher as the first process, as in the image", () => {
  let home: ServiceHome
  let service: RunningService
  const mounts = mountsFor(closedFolder())

  const start = async (): Promise<RunningService> => {
    chownSync(home.dataDir, User, User)
    return await home.start({ by: [launcherFile, `--user=${User}`], mounts })
  }

  beforeAll(async () => {
    home = await makeHome()
    service = await start()
  })
  afterAll(() => home.remove())

  it("[C-182] keeps four rights, and starts the service as a user without any", () => {
    const launcher = statusOf(service.pid)
    expect([launcher.get("CapBnd"), launcher.get("CapPrm")]).toEqual(
      Array.from({ length: 2 }, () => "00000000000001e0")
    )
    const [own] = descendantsOf(service.pid).filter(
      (pid) => !roomProcessesOf(service.pid).includes(pid)
    )
    const status = statusOf(own ?? 0)
    expect([...uidsOf(own ?? 0)]).toEqual([String(User)])
    expect(status.get("NoNewPrivs")).toBe("1")
    expect(status.get("CapBnd")).toBe("0000000000000000")
    expect(service.output()).not.toContain("this service's own user")
  })

  it("[C-183] every room has a user of its own, no rights, no way to any, and bounds", async () => {
    const rooms = [await join(service, "one"), await join(service, "two")]
    const pids = await until("two rooms", () => {
      const found = roomsOf(service.pid)
      return found.length >= 2 && found
    })
    const uids = pids.map((pid) => [...uidsOf(pid)].join())
    expect(new Set([...uids, "0", String(User)]).size).toBe(pids.length + 2)
    for (const pid of pids) expectNoRights(pid)
    expect((await rooms[0]?.request("knock", {}))?.knocks).toBe(1)
    await Promise.all(rooms.map((room) => room.leave()))
  })

  it("[C-176] the process that maps stacks has a user of its own, too, and no rights", async () => {
    const mapper = await mapperOf(service)
    expect([...uidsOf(mapper)]).not.toEqual([String(User)])
    expectNoRights(mapper)
  })

  it("[C-182] passes on the order to stop, and ends with the service", async () => {
    const room = await join(service, "kept")
    await room.request("knock", {})
    const all = descendantsOf(service.pid)
    expect(await service.stop()).toBe(0)
    expect(stillRunning(all)).toEqual([])
    service = await start()
    // Its only seat is kept for the first client for a while.
    const back = await until("the seat is free", () =>
      join(service, "kept").catch((): null => null)
    )
    expect((await back.request("knock", {})).knocks).toBe(2)
    await back.leave()
  })

  it("[C-184] without it the service ends with a sentence, and no room outlives it", async () => {
    const room = await join(service, "looping")
    const all = descendantsOf(service.pid)
    expect(all.length).toBeGreaterThan(1)
    await service.stop("SIGKILL")
    await until("the end of all", () => stillRunning(all).length === 0)
    // The last words of a process may be read after its end was seen.
    await until("the service's last words", () =>
      service.output().includes("The launcher of room processes has ended")
    )
    await room.leave()
  })
})

describe.runIf(isRoot)("a service of an ordinary user", () => {
  it("[C-183] says that rooms share its user, who can gain no rights in them, nor where stacks are mapped", async () => {
    const home = await makeHome()
    try {
      chownSync(home.dataDir, User, User)
      const become = `process.setgroups([]); process.setgid(${User}); process.setuid(${User})`
      const service = await home.start({
        by: [`--import=data:text/javascript,${encodeURIComponent(become)}`],
        mounts: mountsFor(closedFolder())
      })
      await until("the line in the log", () =>
        service.output().includes("rooms run as this service's own user")
      )
      const room = await join(service, "one")
      expect((await room.request("knock", {})).knocks).toBe(1)
      const mapper = await mapperOf(service)
      const pids = roomsOf(service.pid)
      expect(pids).toContain(mapper)
      expect(pids.length).toBeGreaterThan(1)
      for (const pid of pids) {
        expect([...uidsOf(pid)]).toEqual([String(User)])
        expect(statusOf(pid).get("CapPrm")).toBe("0000000000000000")
        expect(statusOf(pid).get("NoNewPrivs")).toBe("1")
        expect(limitOf(pid, "Max open files")).toEqual(["128", "128"])
      }
      await room.leave()
      expect(await service.stop()).toBe(0)
    } finally {
      await home.remove()
    }
  })
})

describe.runIf(process.platform === "linux")("the launcher as a child of the service", () => {
  let home: ServiceHome
  let service: RunningService

  beforeAll(async () => {
    home = await makeHome()
    service = await home.start()
  })
  afterAll(async () => {
    await service.stop()
    await home.remove()
  })

  it("[C-184] a killed launcher takes its rooms along and is started again", async () => {
    const room = await join(service, "lost")
    const launcher = launcherOf(service.pid)
    const before = roomsOf(service.pid)
    expect(before.length).toBeGreaterThan(0)
    process.kill(launcher, "SIGKILL")
    await until("the end of its rooms", () => stillRunning(before).length === 0)
    // Its client comes back at once, maybe before there is a launcher again: that start has an end of its own.
    await expect.poll(() => loggedEnds(service.output(), "lost")).toContain("killed")
    await until("the line in the log", () =>
      service.output().includes("the launcher ended: SIGKILL")
    )
    const back = await until("a room again", () => join(service, "found").catch(() => null))
    expect((await back.request("knock", {})).knocks).toBe(1)
    expect(launcherOf(service.pid)).not.toBe(launcher)
    await back.leave()
    await room.leave()
  })

  it.runIf(isRoot)("[C-182] keeps four rights of root's", () => {
    expect(statusOf(launcherOf(service.pid)).get("CapBnd")).toBe("00000000000001e0")
  })
})
