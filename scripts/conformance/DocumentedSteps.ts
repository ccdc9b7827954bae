import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { makeTestDatabase } from "../makeTestDatabase.ts"
import { startOwnService } from "./OwnService.ts"

const root = join(import.meta.dirname, "../..")
const page = readFileSync(join(root, "docs/conformance.md"), "utf8")

const blocks = (language: string): ReadonlyArray<string> =>
  [...page.matchAll(new RegExp(`^ *\`\`\`${language}\n([^]*?)^ *\`\`\``, "gm"))].map(
    ([, text = ""]) => text
  )

const [configText = "{}", knownText = "{}"] = blocks("json")

/** The commands of docs/conformance.md, each with the exit code that the page says. */
export const steps = (blocks("sh")[0] ?? "")
  .trim()
  .split("\n")
  .map((line) => {
    const [, command = "", code = ""] = /^\s*(.*?)\s+# (\d):/.exec(line) ?? []
    return [command, Number(code)] as const
  })

/** It asks all that needs no fixture, and takes 40 s of processor time: `npm run test:long` runs it. */
export const longStep = "spec-tests run --tier A --out all"

export interface Reader {
  /** Runs a command as it stands on the page. @returns its exit code, and what it wrote */
  readonly follow: (command: string) => Promise<readonly [code: number | null, output: string]>
  readonly leave: () => Promise<void>
}

/** A reader of the page: a folder with the files that it shows, and a service that runs. */
export const reader = async (): Promise<Reader> => {
  const folder = mkdtempSync(join(tmpdir(), "documented-steps-"))
  const database = await makeTestDatabase()
  const service = await startOwnService({ databaseUrl: database.url })
  const { baseUrl, accounts } = Object(JSON.parse(readFileSync(service.config, "utf8")))
  // Where it is and who asks are the reader's own; all else is as the page says.
  const config = { ...Object(JSON.parse(configText)), baseUrl, accounts }
  writeFileSync(join(folder, "conformance.config.json"), JSON.stringify(config))
  writeFileSync(join(folder, "known.json"), knownText)
  return {
    follow: async (command) => {
      const child = spawn("sh", ["-c", command], {
        cwd: folder,
        env: {
          // Where npm links the command of the package, and its node.
          PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`,
          NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"]
        },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let output = ""
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
      }
      const [code] = await once(child, "close")
      return [code, output]
    },
    leave: async () => {
      await service.stop()
      await database.drop()
      rmSync(folder, { recursive: true })
    }
  }
}
