import { execFile } from "node:child_process"
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

import { packageNames } from "../Places.ts"

const run = promisify(execFile)

/**
 * Lets npm and npx forget the packages of a service at this address. A port of the machine comes again,
 * and with `npm_config_prefer_offline` they take what another service has given out there.
 */
export const forgetPackages = async (url: string): Promise<void> => {
  const keys = packageNames.map((name) => `make-fetch-happen:request-cache:${url}/${name}.tgz`)
  await run("npm", ["cache", "clean", ...keys])
  const { stdout } = await run("npm", ["config", "get", "cache"])
  const folder = join(stdout.trim(), "_npx")
  for (const name of foldersIn(folder)) {
    const path = join(folder, name)
    if (textOf(join(path, "package.json")).includes(`${url}/`)) rmSync(path, { recursive: true })
  }
}

const foldersIn = (path: string): ReadonlyArray<string> => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
