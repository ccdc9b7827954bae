// @module-tag thorough

import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { readdirSync } from "node:fs"
import { connect, type Socket } from "node:net"

import { exitCounts } from "@atrium/api/testing/HogStage"
import { single } from "@atrium/api/testing/rooms/singleSchema"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom, JoinError } from "@atrium/sdk/client"
import { expect, it } from "vitest"

const service = serviceUnderTest()
/** Room for some rooms, and for the sockets of the tests' own requests. */
const DescriptorsLeft = 40

const join = (roomId: string): Promise<ClientRoom<typeof single>> =>
  new Client(service.url, { project: service.project, reconnectForMs: 0 }).joinOrCreate(single, {
    roomId
  })

/** The limit that leaves a process so many descriptors: the kernel bounds their numbers, which have gaps. */
const limitLeaving = (pid: number, left: number): number => {
  const taken = new Set(readdirSync(`/proc/${pid}/fd`).map(Number))
  let limit = 0
  for (let free = 0; free < left; limit++) if (!taken.has(limit)) free++
  return limit
}

const limitDescriptors = (pid: number, soft: number): void => {
  const run = spawnSync("prlimit", ["--pid", String(pid), `--nofile=${soft}:`], {
    encoding: "utf8"
  })
  expect(run.stderr).toBe("")
}

/** Rooms that found no process so far; 0 while not even this question finds a descriptor. */
const notStarted = async (): Promise<number> => {
  const counts = await exitCounts(service.url).catch(() => new Map<string, number>())
  return counts.get("notStarted") ?? 0
}

/**
 * Joins rooms until one finds no process; tells the refusal. Where a connection or the store found no
 * descriptor before, one that idles gives its own up: what is left is then too little for a room.
 */
const joinUntilRefused = async (
  rooms: Array<ClientRoom<typeof single>>,
  idle: Array<Socket>
): Promise<JoinError> => {
  for (let count = 0; count < 2 * DescriptorsLeft; count++) {
    try {
      rooms.push(await join(`crowd-${count}`))
    } catch (error) {
      if (!(error instanceof JoinError)) throw error
      if (error.code !== "E_UNREACHABLE" && (await notStarted()) > 0) return error
      idle.pop()?.destroy()
    }
  }
  throw new Error("no join was refused")
}

it.runIf(process.platform === "linux")(
  "[C-180] a room for which the machine has no descriptors is refused, and the service goes on",
  async () => {
    const rooms: Array<ClientRoom<typeof single>> = []
    const idle = Array.from({ length: 25 }, () =>
      connect(Number(new URL(service.url).port), "127.0.0.1")
    )
    await Promise.all(idle.map((socket) => once(socket, "connect")))
    limitDescriptors(service.pid, limitLeaving(service.pid, DescriptorsLeft))
    const refusal = await joinUntilRefused(rooms, idle)
    expect(refusal.code).toBe("E_TENANT_WAKING")
    await until("the line in the log", () =>
      /process ended: notStarted .*(?:EMFILE|no descriptors left)/.test(service.output())
    )

    // Connections that find no descriptor at all are closed, and nothing else.
    await Promise.allSettled(
      Array.from({ length: 2 * DescriptorsLeft }, async () => await fetch(`${service.url}/health`))
    )
    expect((await fetch(`${service.url}/health`)).status).toBe(200)

    for (const socket of idle) socket.destroy()
    await Promise.all(rooms.map((room) => room.leave()))
    const back = await until("a room again", () => join("afterwards").catch(() => null))
    expect((await back.request("knock", {})).knocks).toBe(1)
    await back.leave()
  }
)

it.runIf(process.platform === "linux")(
  "[C-185] a bundle for which the machine has no process is asked for later, not refused",
  async () => {
    const upload = (): Promise<Response> =>
      fetch(`${service.url}/v1/projects/${service.project}/deployments`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${service.token}`,
          "content-type": "application/javascript"
        },
        body: "const = 1"
      })
    const answer = await until("an answer that asks to come again", async () => {
      // One for the connection; a process takes three. What the tests before held may come free meanwhile.
      limitDescriptors(service.pid, limitLeaving(service.pid, 1))
      const given = await upload().catch(() => null)
      return given?.status === 503 && given
    })
    limitDescriptors(service.pid, 1024)
    expect(answer.headers.get("retry-after")).toBe("1")
    expect(await answer.json()).toEqual({
      error: {
        code: "E_NOT_READY",
        message: "bundle: the machine has no process to load it; try again"
      }
    })
    await until("the line in the log", () =>
      /a bundle was not described: no process for the bundle: /.test(service.output())
    )
    // As a caller does who is asked to come again: the service may still be closing what it could not start.
    const judged = await until("the bundle to be read", async () => {
      const given = await upload()
      return given.status === 503 ? null : given
    })
    expect(judged.status).toBe(400)
  }
)
