/**
 * The media process of a runner, which the launcher starts: `main.ts {"uid":…}`. Orders come as lines over
 * its descriptor 3, and the end of that is its own end. The program is loaded before it becomes a user of its
 * own and gives up the files of the machine; only then it hears a stranger.
 */
import { Socket } from "node:net"
import { networkInterfaces } from "node:os"

import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"

import { JanusMedia } from "../janus/JanusMedia.ts"
import type { MediaListener, VoiceMedia } from "../media/VoiceMedia.ts"
import { WeriftMedia } from "../werift/WeriftMedia.ts"
import { lineOf, type MediaSettings, readOrder } from "./MediaMessages.ts"
import { ServeMedia } from "./ServeMedia.ts"

/** What the launcher says. */
interface MediaOptions {
  /** The user to become; `null` = the launcher's own. */
  readonly uid: number | null
}

const endWith = (why: string): never => {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}

const note = (error: unknown): void => {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`a connection failed: ${message}\n`)
}

const giveUpRights = ({ uid }: MediaOptions): void => {
  if (uid !== null) {
    process.setgroups?.([])
    process.setgid?.(uid)
    process.setuid?.(uid)
  }
  process.permission?.drop("fs.read")
}

/** The addresses of this machine that others may reach, where the service binds all of them. */
const ownAddresses = (host: string): ReadonlyArray<string> => {
  if (host !== "0.0.0.0" && host !== "::") return [host]
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const outside = all.filter(({ internal, scopeid }) => !internal && !scopeid)
  const found = outside.filter(({ family }) => family === "IPv4" || host === "::")
  return found.length === 0 ? ["127.0.0.1"] : found.map(({ address }) => address)
}

const open = (settings: MediaSettings, listener: MediaListener): VoiceMedia => {
  const { host, ports, janus } = settings
  if (janus !== null) return new JanusMedia(janus, listener)
  const addresses = settings.addresses.length > 0 ? settings.addresses : ownAddresses(host)
  return new WeriftMedia({ host, addresses, ports }, listener, () => performance.now())
}

const serve = (): void => {
  const service = new Socket({ fd: 3 })
  const media = new ServeMedia(
    { say: (word) => void service.write(lineOf(word)), note, end: endWith },
    open
  )
  let held = ""
  // The line that the launcher's shell has read is gone; each other one is an order.
  service.setEncoding("utf8")
  service.on("data", (text: string) => {
    const lines = (held + text).split("\n")
    held = lines.pop() ?? ""
    if (held.length > VoiceMediaLimits.voiceLineBytes.max) return endWith("a line is too long")
    for (const line of lines) media.take(readOrder(line))
  })
  service.on("error", () => process.exit(0))
  service.on("close", () => process.exit(0))
}

// A participant's connection that fails at some moment of its own must not end those of others.
process.on("unhandledRejection", note)
// Written by the launcher.
giveUpRights(JSON.parse(process.argv[2] ?? "{}") as MediaOptions)
serve()
