import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

/** The exact versions of the peers and of all that they need. The bench does not depend on them. */
const manifests = fileURLToPath(new URL("../../peers", import.meta.url))
const files = ["package.json", "package-lock.json"] as const
const cacheFolder = fileURLToPath(
  new URL("../../../../node_modules/.cache/atrium-bench-peers", import.meta.url)
)
const installWithinMs = 150_000

/** npm could not install the peers. The message says what to do. */
export class PeersMissing extends Error {}

interface PeerSource {
  /** The folder of manifest and lockfile. */
  readonly from: string
  /** The folder that gets one installation for each lockfile. */
  readonly cache: string
  readonly npm: string
}

/**
 * Installs Colyseus and socket.io, once for each version of the lockfile.
 *
 * @returns the folder of the installation. Errors: {@link PeersMissing}
 */
export const installPeers = async (
  progress: (line: string) => void,
  source: PeerSource = { from: manifests, cache: cacheFolder, npm: "npm" }
): Promise<string> => {
  const lock = readFileSync(join(source.from, "package-lock.json"))
  const folder = join(source.cache, createHash("sha256").update(lock).digest("hex").slice(0, 16))
  if (existsSync(folder)) return folder
  progress(`npm installs the peers in ${folder}`)
  // Another run may install at the same time: only a whole installation gets the name.
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  try {
    for (const file of files) copyFileSync(join(source.from, file), join(unfinished, file))
    await runNpm(source.npm, unfinished)
    rename(unfinished, folder)
    return folder
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** The other run's installation is as good. */
const rename = (unfinished: string, folder: string): void => {
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}

const npmArguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]

const runNpm = async (npm: string, cwd: string): Promise<void> => {
  try {
    await promisify(execFile)(npm, npmArguments, { cwd, timeout: installWithinMs })
  } catch (error) {
    throw new PeersMissing(
      `--peers: npm cannot install Colyseus and socket.io (${reasonOf(error)}). ` +
        "Run the bench where the npm registry can be reached, or without --peers."
    )
  }
}

/** What npm says of its failure, in a line. */
const reasonOf = (error: unknown): string => {
  const { stderr = "", killed = false, message = "" }: NpmFailure = Object(error)
  if (killed) return `npm did not end within ${installWithinMs / 1000} s`
  const lines = stderr.split("\n").filter((line) => line.startsWith("npm error "))
  // The first line is a code, the others say more.
  const [code, detail] = lines.map((line) => line.slice("npm error ".length).trim())
  return [code, detail].filter((part) => part !== undefined).join(": ") || message
}

interface NpmFailure {
  readonly stderr?: string
  readonly killed?: boolean
  readonly message?: string
}

/** The version of a peer, as the manifest has it. */
export const versionOfPeer = (name: string): string => {
  const { dependencies }: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(manifests, "package.json"), "utf8")
  )
  const version = dependencies[name]
  if (version === undefined) throw new Error(`there is no peer ${name}`)
  return version
}
