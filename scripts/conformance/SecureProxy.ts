import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { get } from "node:https"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { until } from "@atrium/domain/testing/Until"

const root = join(import.meta.dirname, "../..")
const publicPort = 443
const program = "caddy"

/** Caddy with TLS in front of one runner, and an authority of its own that signs for `localhost`. */
export interface SecureProxy {
  /** The file with the certificate of the authority: NODE_EXTRA_CA_CERTS of the clients. */
  readonly authority: string
  stop(): Promise<void>
}

/** Why port 443 of 127.0.0.1 cannot be taken; `null` = it can. */
const portTaken = (): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", (cause) => resolve(cause.message))
    server.listen(publicPort, "127.0.0.1", () => server.close(() => resolve(null)))
  })

/** The file of `deploy/` for one runner, at `https://localhost` and at another port, on loopback alone. */
const caddyfile = (host: string, otherPort: number): string => {
  const text = readFileSync(join(root, "deploy/Caddyfile"), "utf8")
    .replace("{$ATRIUM_DOMAIN} {", "https://localhost, https://localhost:OTHER {\n\tSITE")
    .replace("OTHER", String(otherPort))
    .replace("SITE", "tls internal\n\tbind 127.0.0.1")
    .replace(/runner-1:8787(?: runner-\d:8787)*/, host)
  // Port 80 stays free, and the machine does not learn to trust the authority.
  return `{\nadmin off\nauto_https disable_redirects\nskip_install_trust\n}\n${text}`
}

/**
 * Starts Caddy in front of a runner, at `https://localhost` and at one other port.
 *
 * @returns why that is not possible here: the program is missing, or port 443 is taken
 */
export const startSecureProxy = async (
  url: string,
  otherPort: number
): Promise<SecureProxy | string> => {
  const taken = await portTaken()
  if (taken !== null) return `port 443 of 127.0.0.1 cannot be taken: ${taken}`
  const folder = mkdtempSync(join(tmpdir(), "atrium-secure-"))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  const file = join(folder, "Caddyfile")
  const authority = join(folder, "caddy/pki/authorities/local/root.crt")
  writeFileSync(file, caddyfile(new URL(url).host, otherPort))
  const child = spawn(program, ["run", "--adapter", "caddyfile", "--config", file], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: process.env["PATH"], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  })
  let said = ""
  child.stderr.on("data", (bytes) => (said = `${said}${bytes}`.slice(-2_000)))
  const spawned = await once(child, "spawn").then(
    () => true,
    () => false
  )
  if (!spawned) {
    remove()
    return "caddy is not installed (Debian: apt-get install caddy)"
  }
  const ended = once(child, "exit")
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) child.kill("SIGTERM")
    await ended
    remove()
  }
  try {
    await until("Caddy answers over TLS", () => {
      if (child.exitCode !== null) throw new Error(`Caddy ended: ${said}`)
      return answers(authority)
    })
  } catch (cause) {
    await stop()
    throw cause
  }
  return { authority, stop }
}

/** Whether the service answers at `https://localhost` with a certificate of the authority. */
const answers = (authority: string): Promise<boolean> => {
  if (!existsSync(authority)) return Promise.resolve(false)
  const ca = readFileSync(authority)
  return new Promise((resolve) => {
    const asked = get("https://localhost/health", { ca, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asked.once("error", () => resolve(false))
  })
}
