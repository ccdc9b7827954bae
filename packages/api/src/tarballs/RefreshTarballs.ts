import { spawn } from "node:child_process"
import { setPriority } from "node:os"

/** Processes that a player waits for come first. */
const niceness = 10
const errorBytesMax = 4096

/**
 * Runs the program that makes the packages, in a process of its own that ends with this one. Rejects
 * with the words of the program.
 *
 * @param program path of `scripts/packages.ts`
 */
export const refreshTarballs = (program: string, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const { PATH } = process.env
    const child = spawn(process.execPath, [program, "--held"], {
      // No secret of the service: npm packages run in it.
      env: { PATH },
      stdio: ["pipe", "ignore", "pipe"]
    })
    if (child.pid !== undefined) setPriority(child.pid, niceness)
    signal.addEventListener("abort", () => child.kill("SIGKILL"))
    let said = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-errorBytesMax)
    })
    child.on("error", reject)
    child.on("close", (code) => {
      if (code === 0) resolve()
      else reject(new Error(`the program ended with ${code}: ${said.trim()}`))
    })
  })
