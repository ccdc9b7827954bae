import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"

import { until } from "@atrium/domain/testing/Until"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { readBootSource } from "./BootSource.ts"
import { roomCommand } from "./RoomCommand.ts"
import { makeRoomProcesses, type RoomProcesses } from "./RoomProcesses.ts"
import { noWalls, scriptOf, startOf, TestListener } from "./TestProcesses.ts"

let processes: RoomProcesses

beforeAll(async () => {
  processes = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 2 })
})

afterAll(() => processes.close())

/** Evaluates an expression as room code would, and tells what came of it. */
const evaluate = async (expression: string): Promise<string> => {
  const heard = new TestListener()
  const room = processes.take(heard.listener, { memoryMiB: 64 })
  const code = `
    exports.connect = () => () => {
      const tell = (value) => console.log("= " + (typeof value === "string" ? value : JSON.stringify(value)))
      const fail = (error) => console.log("! " + error.name + " " + (error.code ?? "") + " " + error.message)
      try { Promise.resolve(${expression}).then(tell, fail) } catch (error) { fail(error) }
    }
  `
  room.start(startOf(scriptOf(code)))
  const line = await until(expression, () => heard.lines[0])
  room.kill("stopped")
  await heard.exit()
  return line
}

describe("room code cannot reach", () => {
  test.each([
    ["a module of Node", 'require("fs")', /^! Error E_ROOM_IMPORT/],
    ["a module by import()", 'import("node:fs")', /^! Error E_ROOM_IMPORT/],
    ["a file by import()", 'import("/etc/passwd")', /^! Error E_ROOM_IMPORT/],
    ["a data URL by import()", 'import("data:text/javascript,1")', /^! Error E_ROOM_IMPORT/],
    ["import() through eval", "(0, eval)(\"import('node:fs')\")", /^! /],
    ["import() through Function", "new Function(\"return import('node:fs')\")()", /^! /],
    ["the network by fetch", 'fetch("http://127.0.0.1:1")', /^! Error E_ROOM_IMPORT/],
    ["the network by WebSocket", 'new WebSocket("ws://127.0.0.1:1")', /^! Error E_ROOM_IMPORT/],
    ["process by Function", 'new Function("return typeof process.kill")()', /^= undefined$/],
    ["the environment", "process.env", /^= \{\}$/],
    ["the folder of the service", "process.cwd() + typeof crypto.randomUUID", /^= \/function$/],
    ["the arguments", "process.argv", /^= \[\]$/],
    ["stdout's socket", "typeof process.stdout + typeof console._stdout", /^= (undefined){2}$/],
    ["a prototype by __proto__", "typeof ({}).__proto__", /^= undefined$/]
  ])("[D-14] %s", async (_, expression, answer) => {
    expect(await evaluate(expression)).toMatch(answer)
  })
})

/** Tries what boot hides from room code, with everything of Node at hand. */
const Attempts = `
  import { readFileSync, writeFileSync } from "node:fs"
  import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
  import { connect, createServer, Socket } from "node:net"
  import { createSocket } from "node:dgram"
  import { lookup } from "node:dns/promises"
  import { Worker } from "node:worker_threads"

  const socketOf = (make) => new Promise((resolve, reject) => {
    const socket = make()
    socket.once("error", reject)
    for (const event of ["connect", "listening"]) socket.once(event, () => resolve("open"))
  })
  // The class of the handle below fd 3, for who gets hold of that.
  const Pipe = new Socket({ fd: 3 })._handle.constructor
  const attempts = {
    read: () => readFileSync("/etc/passwd"),
    readProc: () => readFileSync("/proc/self/environ"),
    write: () => writeFileSync("/tmp/atrium-sandbox-test", "x"),
    spawn: () => spawnSync("/bin/true").error?.code ?? "ran",
    worker: () => new Worker("1", { eval: true }),
    tcp: () => socketOf(() => connect(1, "127.0.0.1")),
    listen: () => socketOf(() => createServer().listen(0)),
    unix: () => socketOf(() => connect("/tmp/no.sock")),
    pipe: () => new Pipe(0).connect({}, "/tmp/no.sock"),
    pipeListen: () => new Pipe(1).bind("/tmp/atrium.sock"),
    udp: () => socketOf(() => createSocket("udp4").bind(0)),
    dns: () => lookup("localhost"),
    binding: () => process.binding("fs")
  }
  const outcomes = { environment: Object.keys(process.env).length }
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      const value = await attempt()
      outcomes[name] = typeof value === "string" ? value : (value?.code ?? "allowed")
    } catch (error) {
      outcomes[name] = error.code ?? error.message
    }
  }
  process.stdout.write(JSON.stringify(outcomes))
  process.exit(0)
`

test("[D-14] boot imports no module of Node: an import reads all exports, and loads what is behind each", () => {
  expect(readBootSource(process.execPath).code).not.toMatch(/^import /m)
})

describe("the walls of the process, without those of boot", () => {
  test("[D-14] files, processes, threads and the network are denied by Node itself", () => {
    const { vmDataKiB } = readBootSource(process.execPath)
    const command = roomCommand(
      process.execPath,
      { code: Attempts, vmDataKiB },
      { memoryMiB: 64, uid: null, walls: noWalls, begins: true }
    )
    const run = spawnSync(command.program, command.args, {
      env: {},
      cwd: "/",
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe", "pipe"]
    })
    const denied = "ERR_ACCESS_DENIED"
    expect({ stderr: run.stderr, ...JSON.parse(run.stdout || "{}") }).toEqual({
      stderr: "",
      environment: 0,
      read: denied,
      readProc: denied,
      write: denied,
      spawn: denied,
      worker: denied,
      tcp: denied,
      listen: denied,
      unix: denied,
      pipe: denied,
      pipeListen: denied,
      udp: denied,
      dns: denied,
      binding: denied
    })
  })

  test("[C-51] boot leaves nothing on the real process that acts, nor a way to other priorities", async () => {
    // Runs before boot and keeps what room code must never get; `kill` goes when boot is done.
    const spy = `
      import os from "node:os"
      const { process, setInterval } = globalThis
      const { stdout } = process
      const look = () => {
        if (process.kill !== undefined || typeof os.setPriority === "function") return
        const left = Object.getOwnPropertyNames(process).filter((name) => process[name] !== undefined)
        stdout.write(left.toSorted().join(" ") + "\\n")
        clearInterval(timer)
      }
      const timer = setInterval(look, 5)
      const { clearInterval } = globalThis
    `
    const boot = readBootSource(process.execPath)
    const { program, args } = roomCommand(process.execPath, boot, {
      memoryMiB: 64,
      uid: null,
      walls: noWalls,
      begins: true
    })
    const at = args.indexOf("--permission")
    const preload = `--import=data:text/javascript,${encodeURIComponent(spy)}`
    const child = spawn(program, [...args.slice(0, at), preload, ...args.slice(at)], {
      env: {},
      cwd: "/",
      stdio: ["ignore", "pipe", "inherit", "pipe"]
    })
    try {
      const [line] = await once(child.stdout ?? child, "data")
      // Node lets nobody take `debugPort`, a number, and `permission`, which only gives up rights.
      const left =
        "_events _eventsCount _exiting _fatalException _tickCallback arch argv argv0 config " +
        "debugPort domain emitWarning env execArgv execPath features nextTick permission pid " +
        "platform release sourceMapsEnabled title version versions"
      expect(String(line).trim()).toBe(left)
    } finally {
      child.kill("SIGKILL")
    }
  })

  test("[D-14] the process of room code does not lead to the real one", async () => {
    const real = "process.constructor.constructor"
    expect(
      await evaluate(`${real}("return typeof process.kill + typeof process.mainModule")()`)
    ).toBe("= undefinedundefined")
  })
})
