import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

/** The smallest room there is. @param schema further keys of its schema, as source */
export const tinyRoom = (schema = ""): string => `
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"
export const tiny = defineRoom(
  defineSchema({ type: "tiny", singletons: { score: { red: s.u8() } }, ${schema} }), {})
`

/** A schema without a room. @param more further keys of it, as source */
export const boardSchema = (more = ""): string => `
import { defineSchema, s } from "@atrium/sdk/schema"
export const board = defineSchema({ type: "board", entities: { shapes: { x: s.f32() } }, ${more} })
`

export interface GameFolder {
  readonly path: string
  readonly write: (files: Readonly<Record<string, string>>) => Promise<void>
  readonly remove: () => Promise<void>
}

/** A folder of its own that is not inside of this repository. */
export const makeGameFolder = async (
  files: Readonly<Record<string, string>>
): Promise<GameFolder> => {
  const path = await realpath(await mkdtemp(join(tmpdir(), "atrium game ")))
  const write = async (written: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, text] of Object.entries(written)) {
      await mkdir(dirname(join(path, name)), { recursive: true })
      await writeFile(join(path, name), text)
    }
  }
  await write(files)
  return { path, write, remove: () => rm(path, { recursive: true, force: true }) }
}
