import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

import { expect, it } from "vitest"

const main = fileURLToPath(new URL("./main.ts", import.meta.url))
/** Runs a command at a terminal of its own. */
const script = "/usr/bin/script"

it.runIf(existsSync(script))(
  "[C-222] a command ends when its question is answered, while the terminal stays open",
  async () => {
    const command = `'${process.execPath}' '${main}' keys --project p_0123456789abcdef jwt-secret`
    const child = spawn(script, ["-qec", command, "/dev/null"], {
      env: {
        ...process.env,
        ATRIUM_TOKEN: `ct_${"A".repeat(43)}`,
        ATRIUM_URL: "http://127.0.0.1:9"
      },
      stdio: ["pipe", "pipe", "ignore"]
    })
    let shown = ""
    let answered = false
    child.stdout.on("data", (chunk: Buffer) => {
      shown += chunk.toString()
      if (answered || !shown.includes("[y/N]")) return
      answered = true
      child.stdin.write("n\n")
    })
    const [code] = await once(child, "exit")
    expect(shown).toContain("nothing was changed")
    expect(code).toBe(2)
  }
)
