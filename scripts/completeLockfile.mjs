// Run after npm install where the registry (a mirror) lacks builds for other platforms: npm then
// leaves them out of package-lock.json, and `npm ci` refuses the lockfile everywhere, with
// "Missing: … from lock file". This adds what is missing, by the exact versions that their parents
// name. Such an entry has no integrity until somebody runs npm install against the full registry.
import { readFileSync, writeFileSync } from "node:fs"

const path = new URL("../package-lock.json", import.meta.url)
const lock = JSON.parse(readFileSync(path, "utf8"))

const systems = ["android", "darwin", "freebsd", "linux", "openharmony", "win32"]
const processors = ["arm64", "arm", "ia32", "ppc64", "riscv64", "s390x", "x64"]

/** The folder that Node would find: the parent's own node_modules first, then outwards. */
const isLocked = (parent, name) => {
  for (let folder = parent; ; folder = folder.slice(0, folder.lastIndexOf("node_modules/"))) {
    folder = folder.replace(/\/$/, "")
    if (lock.packages[folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`])
      return true
    if (folder === "" || !folder.includes("node_modules/")) {
      return lock.packages[`node_modules/${name}`] !== undefined
    }
  }
}

const added = []
for (const [parent, { optionalDependencies, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies ?? {})) {
    if (isLocked(parent, name)) continue
    const words = name.split(/[/-]/)
    const os = systems.find((system) => words.includes(system))
    const cpu = processors.find((processor) => words.includes(processor))
    if (os === undefined || cpu === undefined || !/^\d+\.\d+\.\d+/.test(version)) {
      process.stderr.write(`left out: ${name}@${version} of ${parent}\n`)
      continue
    }
    const entry = { version, cpu: [cpu], ...(dev === true && { dev }), optional: true, os: [os] }
    lock.packages[`node_modules/${name}`] = entry
    added.push(name)
  }
}

const folders = Object.keys(lock.packages).sort((a, b) => a.localeCompare(b, "en"))
lock.packages = Object.fromEntries(folders.map((folder) => [folder, lock.packages[folder]]))
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`)
process.stderr.write(`added ${added.length} entries to package-lock.json\n`)
