import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { keptPort } from "@atrium/api/testing/KeptPorts"
import { until } from "@atrium/domain/testing/Until"

export const ProxyKinds = ["nginx", "caddy"] as const
export type ProxyKind = (typeof ProxyKinds)[number]

/** A program that stands in front of the runners, with its file of `deploy/`. */
export interface Proxy {
  readonly port: number
  end(): Promise<void>
}

/** Where Debian has nginx, which is not on the path of users. */
const path = `${process.env["PATH"] ?? ""}:/usr/sbin`

const textOf = (file: string): string =>
  readFileSync(new URL(`../../../../deploy/${file}`, import.meta.url), "utf8")

/** The addresses of the file, in their places. */
const withRunners = (text: string, urls: ReadonlyArray<string>): string =>
  urls.reduce(
    (known, url, at) => known.replaceAll(`runner-${at + 1}:8787`, new URL(url).host),
    text
  )

const commands: Record<
  ProxyKind,
  (
    folder: string,
    port: number,
    urls: ReadonlyArray<string>
  ) => { readonly command: ReadonlyArray<string>; readonly text: string }
> = {
  nginx: (folder, port, urls) => ({
    command: [
      "nginx",
      "-c",
      join(folder, "nginx"),
      "-g",
      `daemon off; pid ${folder}/pid; error_log stderr;`
    ],
    text: withRunners(textOf("nginx.conf"), urls)
      .replace("listen 80;", `listen 127.0.0.1:${port};`)
      .replace("http {", "http {\naccess_log off;")
  }),
  caddy: (folder, port, urls) => ({
    command: ["caddy", "run", "--adapter", "caddyfile", "--config", join(folder, "caddy")],
    text:
      "{\nadmin off\n}\n" +
      withRunners(textOf("Caddyfile"), urls).replace("{$ATRIUM_DOMAIN}", `http://127.0.0.1:${port}`)
  })
}

/** Starts it in front of three runners; `null` = the program is not installed. */
export const startProxy = async (
  kind: ProxyKind,
  urls: ReadonlyArray<string>
): Promise<Proxy | null> => {
  const folder = mkdtempSync(join(tmpdir(), "atrium-proxy-"))
  const port = await keptPort()
  const { command, text } = commands[kind](folder, port, urls)
  writeFileSync(join(folder, kind), text)
  const [program = kind, ...args] = command
  const child = spawn(program, args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PATH: path, HOME: folder }
  })
  let said = ""
  child.stderr.on("data", (bytes) => (said = `${said}${bytes}`.slice(-2_000)))
  const ended = new Promise<"missing" | "ended">((resolve) => {
    child.once("error", () => resolve("missing"))
    child.once("exit", () => resolve("ended"))
  })
  const ready = until(`${kind} answers`, async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null)
    return answer?.status === 200
  }).then(() => "ready" as const)
  const first = await Promise.race([ended, ready])
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  if (first !== "ready") {
    ready.catch(() => null)
    remove()
    if (first === "missing") return null
    throw new Error(`${kind} ended: ${said}`)
  }
  return {
    port,
    end: async () => {
      child.kill("SIGTERM")
      await ended
      remove()
    }
  }
}
