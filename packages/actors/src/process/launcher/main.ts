/**
 * The program that starts room processes, in one of two ways.
 *
 * `main.ts {"nodePath":…}` serves the service that has started it.
 *
 * `main.ts [--user=<uid>] <program> [argument…]` is the first process of a container. It starts
 * the service as a user without rights, serves it, passes on signals, and ends with it.
 */
import { spawn } from "node:child_process"

import { closeInherited } from "../InheritedDescriptors.ts"
import { hasMoreRights, keptRightsCommand, withoutRights } from "./KeptRights.ts"
import { LaunchedVariable } from "./LauncherMessages.ts"
import { type LauncherOptions, serveLauncher } from "./ServeLauncher.ts"

/** The user `node` of the official images. */
const ServiceUid = 1000
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/**
 * A service without descriptors refuses the pipes that it is handed. Node 26 sometimes takes its answer for a
 * fault of Node's own, and an assertion fails where nobody can catch it: that would end all rooms. Only the
 * pipe is lost, and the service counts its room as not started.
 */
const outliveRefusedPipes = (): void => {
  process.on("uncaughtException", (error) => {
    if (!("code" in error) || error.code !== "ERR_INTERNAL_ASSERTION") throw error
  })
}

const serveParent = (options: LauncherOptions): void => {
  // The signals of a terminal are for the service, whose end is the end of this process.
  for (const signal of signals) process.on(signal, () => undefined)
  const end = serveLauncher(process, options)
  const leave = (): void => {
    end()
    process.exit(0)
  }
  process.on("disconnect", leave)
  // Node tells nobody of a channel that breaks while a pipe waits to be handed over.
  process.stdin.on("close", leave).resume()
  if (!process.connected) leave()
}

const startService = (args: ReadonlyArray<string>): void => {
  const user = /^--user=(\d+)$/.exec(args[0] ?? "")?.[1]
  const command = user === undefined ? args : args.slice(1)
  const [program = "", ...more] = [
    ...withoutRights(Number(user ?? ServiceUid)),
    process.execPath,
    ...command
  ]
  const service = spawn(program, more, {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, [LaunchedVariable]: "1" }
  })
  for (const signal of signals) process.on(signal, () => service.kill(signal))
  service.once("error", ({ message }) => {
    process.stderr.write(`atrium: the service does not start: ${message}\n`)
    process.exit(1)
  })
  const end = serveLauncher(service, { nodePath: process.execPath })
  service.once("exit", (code) => {
    end()
    process.exit(code ?? 1)
  })
}

/** Becomes the same program with fewer rights, where it has more than it needs. */
const giveUpRights = (args: ReadonlyArray<string>): void => {
  const command = hasMoreRights() ? keptRightsCommand() : null
  const [program] = command ?? []
  if (command === null || program === undefined) return
  process.execve?.(
    program,
    [...command, process.execPath, import.meta.filename, ...args],
    process.env
  )
}

closeInherited()
outliveRefusedPipes()
const [settings = "", ...args] = process.argv.slice(2)
if (settings.startsWith("{")) {
  // Written by the service.
  serveParent(JSON.parse(settings) as LauncherOptions)
} else {
  giveUpRights([settings, ...args])
  startService([settings, ...args])
}
