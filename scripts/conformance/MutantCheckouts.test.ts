import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

import { expect, test } from "vitest"

import { checkoutRoot } from "../CheckoutCopy.ts"
import { MutantCheckouts } from "./MutantCheckouts.ts"
import { patchSymbol } from "./PatchSymbol.ts"

/** Runs a program that imports one module, and reads what it prints. */
const printed = (module: string, program: string): string => {
  const code = `import * as it from ${JSON.stringify(pathToFileURL(module).href)}\n${program}`
  const flags = ["--no-warnings", "--input-type=module", "--eval", code]
  return execFileSync(process.execPath, flags, { encoding: "utf8" })
}

/** In what rooms run: their bundle holds the runtime. */
const inRooms = {
  id: "in-rooms",
  package: "runtime",
  symbol: "RoomCore.isDev",
  code: '"dev"',
  replace: '"mutated"'
}

/** In what a room's process runs before it has a bundle. */
const inBoot = {
  id: "in-boot",
  package: "runtime",
  symbol: "refusal",
  text: "a room has no Node modules",
  replace: "a room has mutated modules"
}

test("[C-97] a mutant of what rooms run is in the bundles and processes that its checkout makes", () => {
  const folder = mkdtempSync(join(tmpdir(), "atrium-mutant-checkouts-"))
  try {
    const checkouts = new MutantCheckouts(folder)
    const first = checkouts.take(patchSymbol(inRooms))
    const at = (path: string): string => first.pathOf(join(checkoutRoot, path))
    const options = { entries: ["probe.ts"], resolveDir: at("packages/spec-tests/fixtures") }
    const bundle = (): string =>
      printed(
        at("packages/sdk/src/bundle/Bundle.ts"),
        `const { bytes } = await it.bundleRooms(${JSON.stringify(options)})
        const [code] = new TextDecoder().decode(bytes).split("//# sourceMappingURL")
        console.log(code.match(/projectId === .*/)?.[0])
        await it.endBundler()`
      )
    expect(bundle()).toContain('projectId === "mutated"')
    expect(first.relocated({ argv: [join(checkoutRoot, "scripts/test.ts")] })).toEqual({
      argv: [at("scripts/test.ts")]
    })
    first.giveBack()
    expect(bundle()).toContain('projectId === "dev"')

    // The next mutant has the same copy, in which nothing is left of the last one.
    const next = checkouts.take(patchSymbol(inBoot))
    expect(next.pathOf(checkoutRoot)).toBe(first.pathOf(checkoutRoot))
    const source = at("packages/actors/src/process/BootSource.ts")
    const boot = printed(source, "console.log(it.readBootSource(process.execPath).code)")
    expect(boot).toContain("a room has mutated modules")
    next.giveBack()
    const walls = "packages/runtime/src/boot/BootWalls.ts"
    const [was, is] = [join(checkoutRoot, walls), at(walls)].map((path) =>
      readFileSync(path, "utf8")
    )
    expect(is).toBe(was)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
