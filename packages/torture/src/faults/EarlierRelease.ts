import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const repository = fileURLToPath(new URL("../../../..", import.meta.url))

const git = (...args: ReadonlyArray<string>): string | null => {
  try {
    const stdio = ["ignore", "pipe", "ignore"] as const
    return execFileSync("git", args, {
      cwd: repository,
      encoding: "utf8",
      stdio: [...stdio]
    }).trim()
  } catch {
    return null
  }
}

/** The newest tag before this commit, e.g. `v0.1.0`; `null` = there is none, or no history to look into. */
export const earlierRelease = (): string | null =>
  git("describe", "--tags", "--abbrev=0", "--match=v*", "HEAD^")

/** The service of a release, installed in a folder of its own. */
export interface InstalledRelease {
  /** Its program, which Node starts. */
  readonly program: string
  remove(): void
}

export const installRelease = (tag: string): InstalledRelease => {
  const folder = mkdtempSync(join(tmpdir(), "atrium-release-"))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const archive = join(folder, "release.tar")
    execFileSync("git", ["archive", `--output=${archive}`, tag], { cwd: repository })
    execFileSync("tar", ["-xf", archive], { cwd: folder })
    execFileSync("node", ["scripts/install.mjs"], { cwd: folder, stdio: "ignore" })
  } catch (cause) {
    remove()
    throw cause
  }
  const program = join(folder, "packages/api/src/main.ts")
  if (!existsSync(program)) throw new Error(`${tag} has no service`)
  return { program, remove }
}
