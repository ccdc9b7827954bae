import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

import { makeCli } from "./CliPackage.ts"
import { hashOfInputs } from "./Inputs.ts"
import { type PackageName, packageNames, tarballFolder } from "./Places.ts"
import { makeSdk } from "./SdkPackage.ts"
import { makeSuite } from "./SuitePackage.ts"
import { pack } from "./Tarball.ts"

/** Says what the tarballs beside it were made from. */
const stampPath = join(tarballFolder, "made-from")

/** Whether the tarballs are those of the sources as they are now. */
export const areFresh = (): boolean => {
  try {
    return readFileSync(stampPath, "utf8") === hashOfInputs()
  } catch {
    return false
  }
}

/** Makes the three packages. A reader finds either the tarball before or the new one, whole. */
export const makePackages = async (): Promise<void> => {
  const madeFrom = hashOfInputs()
  mkdirSync(dirname(tarballFolder), { recursive: true })
  const staging = mkdtempSync(join(dirname(tarballFolder), ".staging-"))
  try {
    const folderOf = (name: PackageName): string => join(staging, name)
    await makeSdk(folderOf("sdk"), staging)
    await makeCli(folderOf("cli"), folderOf("sdk"))
    await makeSuite(folderOf("spec-tests"), staging)
    mkdirSync(tarballFolder, { recursive: true })
    for (const name of packageNames) {
      const packed = join(staging, `${name}.tgz`)
      await pack(folderOf(name), packed)
      renameSync(packed, join(tarballFolder, `${name}.tgz`))
    }
    writeFileSync(stampPath, madeFrom)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}
