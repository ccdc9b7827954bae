import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"

import { until } from "@atrium/domain/testing/Until"

import type { JanusSettings } from "../JanusConnection.ts"

const pathOf = (name: string): string | null =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync) ?? null

const pluginFolders = ["/usr/lib/x86_64-linux-gnu/janus", "/usr/lib/aarch64-linux-gnu/janus"]

/** The Janus of this machine, such as Debian's; `null` = it has none, which is said. */
export const janusHere = (): { readonly program: string; readonly libraries: string } | null => {
  const [program, libraries] = [pathOf("janus"), pluginFolders.find(existsSync) ?? null]
  if (program !== null && libraries !== null) return { program, libraries }
  process.stderr.write("Skipped: this machine has no Janus (Debian: apt-get install janus).\n")
  return null
}

const secret = "the secret of a test"
const others = ["audiobridge", "echotest", "nosip", "recordplay", "sip", "streaming"]
const scripted = ["textroom", "videocall", "voicemail", "lua", "duktape"]

/** A Janus of a test, which is there until `end`. */
export interface JanusUnderTest extends JanusSettings {
  readonly process: ChildProcess
  end(): void
}

/** Starts a Janus whose API is at the port and whose media are at 41000 to 41199, beside all ports of the service. */
export const startJanus = async (port: number): Promise<JanusUnderTest> => {
  const found = janusHere()
  if (found === null) throw new Error("there is no Janus")
  const folder = mkdtempSync(join(tmpdir(), "atrium-janus-"))
  const disabled = [...others, ...scripted].map((name) => `libjanus_${name}.so`).join()
  const unused = ["http", "mqtt", "nanomsg", "pfunix", "rabbitmq"]
  const transports = unused.map((name) => `libjanus_${name}.so`).join()
  const files = {
    "janus.jcfg": `general: {
  configs_folder = "${folder}"
  plugins_folder = "${found.libraries}/plugins"
  transports_folder = "${found.libraries}/transports"
  api_secret = "${secret}"
  debug_level = 2
}
media: { rtp_port_range = "41000-41199" }
nat: { ice_lite = true }
plugins: { disable = "${disabled}" }
transports: { disable = "${transports}" }
`,
    "janus.transport.websockets.jcfg": `general: { ws = true
  ws_port = ${port}
  ws_interface = "lo"
}
`,
    "janus.plugin.videoroom.jcfg": ""
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const child = spawn(found.program, ["-F", folder, "-C", join(folder, "janus.jcfg")], {
    stdio: "ignore"
  })
  const url = `ws://127.0.0.1:${port}`
  await until("Janus answers", async () => {
    const socket = new WebSocket(url, "janus-protocol")
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.onopen = () => resolve(true)
      socket.onerror = () => resolve(false)
    })
    socket.close()
    return isOpen
  })
  return {
    url,
    secret,
    process: child,
    end: () => {
      child.kill("SIGKILL")
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
