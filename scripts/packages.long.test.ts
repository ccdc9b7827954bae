import { readFileSync } from "node:fs"
import { join } from "node:path"

import { expect, it } from "vitest"

import { makePackages } from "./packages/MakePackages.ts"
import { packageNames, tarballFolder } from "./packages/Places.ts"

it("[C-341] each build of the packages makes the same bytes", async () => {
  const made = async (): Promise<ReadonlyArray<Buffer>> => {
    await makePackages()
    return packageNames.map((name) => readFileSync(join(tarballFolder, `${name}.tgz`)))
  }
  const first = await made()
  for (const [at, bytes] of (await made()).entries()) {
    expect(bytes.equals(first[at] ?? Buffer.alloc(0)), packageNames[at]).toBe(true)
  }
})
