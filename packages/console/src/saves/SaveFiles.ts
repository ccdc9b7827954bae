import type { DeploymentRead } from "@atrium/domain/deployments/DeploymentsApi"
import type { Save } from "@atrium/domain/rooms/RoomsApi"

import { roomPath } from "../room/RoomPath.ts"
import { type Answer, ask, askBytes, ownRefusal, type Refusal } from "../service/Service.ts"
import type { SaveSide } from "./CompareSaves.ts"

/** A room that saves are of. */
interface SavedPlace {
  readonly project: string
  readonly room: string
}

/** The same, and the type of its state. */
export interface SavedRoom extends SavedPlace {
  readonly type: string
}

/** The path of the bytes of a save. */
export const savePath = ({ project, room }: SavedPlace, saveId: string): string =>
  `${roomPath(project, room)}/saves/${encodeURIComponent(saveId)}`

/** Reads a save, and the descriptor by which its version stored the state of the room's type. */
export const readSide = async (
  at: SavedRoom,
  { saveId, version }: Save,
  signal: AbortSignal
): Promise<SaveSide | Refusal> => {
  const deployment = `/v1/projects/${encodeURIComponent(at.project)}/deployments/${version}`
  const [bytes, read] = await Promise.all([
    askBytes({ path: `${savePath(at, saveId)}/bytes`, signal }),
    ask<DeploymentRead>({ path: deployment, signal })
  ])
  if (bytes._tag === "Refused") return bytes
  if (read._tag === "Refused") return read
  const found = read.value.schemas.find(({ type }) => type === at.type)
  if (found === undefined) return noType(at.type, version)
  return { bytes: bytes.value, schema: found.schema }
}

const noType = (type: string, version: number): Refusal =>
  ownRefusal({
    code: "no schema",
    message: `Version ${version} has no room type ${type}: its saves can be downloaded only.`
  })

/** Saves a save as a file of the reader's. @returns why not; `null` = the browser has it */
export const download = async (at: SavedPlace, saveId: string): Promise<Refusal | null> => {
  const answer: Answer<Uint8Array<ArrayBuffer>> = await askBytes({
    path: `${savePath(at, saveId)}/bytes`
  })
  if (answer._tag === "Refused") return answer
  const blob = new Blob([answer.value], { type: "application/octet-stream" })
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = `${saveId}.save`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), keptMs)
  return null
}

/** Browsers read the file some time after the click. */
const keptMs = 60_000
