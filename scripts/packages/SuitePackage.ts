import { cpSync } from "node:fs"
import { join } from "node:path"

import { bundleProgram } from "./BundledProgram.ts"
import { emitDeclarations } from "./Emitted.ts"
import { writeManifest } from "./Manifest.ts"
import { repository } from "./Places.ts"

const dependencies = ["fast-check", "ws"]

/** What an implementer reads or adapts beside the program. */
const beside = ["conformance.config.example.json", "requirements.json", "fixtures"]

/** What a module of codecs is typed by, and the name by which it is imported. */
const types = { "./codecs": "codec/Codecs", "./room-codec": "codec/RoomCodec" }

/** `@atrium/spec-tests`: the conformance suite as a command. */
export const makeSuite = async (folder: string, staging: string): Promise<void> => {
  await bundleProgram({
    entryPoints: { "spec-tests": "packages/spec-tests/src/main.ts" },
    outdir: join(folder, "dist"),
    external: dependencies,
    plugins: []
  })
  emitDeclarations({
    files: Object.values(types).map((path) => `packages/spec-tests/src/${path}.ts`),
    into: join(folder, "dist"),
    staging
  })
  const exported = Object.entries(types).map(
    ([name, path]) => [name, { types: `./dist/spec-tests/${path}.d.ts` }] as const
  )
  for (const name of beside) {
    cpSync(join(repository, "packages/spec-tests", name), join(folder, name), { recursive: true })
  }
  writeManifest("spec-tests", {
    folder,
    dependencies,
    more: {
      bin: { "spec-tests": "./dist/spec-tests.js" },
      files: ["dist", ...beside],
      exports: { ...Object.fromEntries(exported), "./package.json": "./package.json" }
    }
  })
}
