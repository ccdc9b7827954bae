import { statSync } from "node:fs"
import { join } from "node:path"

import { areFresh, makePackages } from "./packages/MakePackages.ts"
import { packageNames, tarballFolder } from "./packages/Places.ts"

/**
 * `npm run packages`: makes the tarballs of @atrium/sdk, @atrium/cli and @atrium/spec-tests in dist/packages. A service
 * starts it with `--held`: then it does nothing when they are fresh, and ends with its standard input.
 */
const held = process.argv.includes("--held")
if (held) process.stdin.on("end", () => process.exit(1)).resume()

if (!held || !areFresh()) await makePackages()
if (!held) {
  for (const name of packageNames) {
    const path = join(tarballFolder, `${name}.tgz`)
    process.stdout.write(`${path}  ${Math.ceil(statSync(path).size / 1024)} KB\n`)
  }
}
process.exit(0)
