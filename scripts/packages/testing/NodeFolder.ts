import { execFile } from "node:child_process"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/**
 * A folder with a `node` of this major version: the one of the machine when it is that, else one from npm.
 *
 * @param root where the folder is made
 */
export const nodeFolder = async (major: number, root: string): Promise<string> => {
  const folder = join(root, `node-${major}`)
  mkdirSync(folder)
  const versionOf = async (node: string): Promise<string> =>
    (await run(node, ["--version"]).catch(() => ({ stdout: "" }))).stdout
  const places = (process.env["PATH"] ?? "").split(":").map((place) => join(place, "node"))
  for (const node of [process.execPath, ...places]) {
    if (!(await versionOf(node)).startsWith(`v${major}.`)) continue
    symlinkSync(node, join(folder, "node"))
    return folder
  }
  const name = `node-${process.platform}-${process.arch}`
  await run("npm", ["install", "--prefix", folder, `${name}@${major}`])
  return join(folder, "node_modules", name, "bin")
}
