import { Schema } from "effect"

/** Part of a path: any text is taken, as a malformed id is the id of nothing. Source: D-05. */
const part = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] })

export const projectPart = {
  id: part("The project's id, `p_` and 16 hex digits, or `dev`.", "p_0123456789abcdef")
}

export const roomParts = {
  ...projectPart,
  roomId: part("The room's id, 1 to 128 of `A-Z a-z 0-9 . _ ~ : -`.", "arena-2")
}

export const versionParts = {
  ...projectPart,
  version: part("The number of a version, from 1.", "3")
}

export const saveParts = {
  ...roomParts,
  saveId: part("The id of a save generation.", "sv_0123456789abcdef")
}

export const clientParts = {
  ...roomParts,
  clientId: part("The id of a connection, from the list of the room's clients.", "9f2c51d07a44b3e8")
}

export const keyParts = {
  ...projectPart,
  keyId: part("The API key's id, which is not its secret.", "key_0123456789abcdef")
}

export const uploadParts = {
  ...projectPart,
  upload: part("The id of an upload, from the answer that began it.", "u_0123456789abcdef")
}

export const siteFileParts = {
  ...uploadParts,
  hash: part("The SHA-256 of the content, 64 hex digits.", "0".repeat(64))
}

export const playerParts = {
  ...projectPart,
  playerId: part("The player's id, 1 to 256 bytes.", "pl_0123456789abcdef")
}

export const replayPart = {
  replayId: part(
    "The id of a clip or a recording, `rp_` and 32 characters.",
    `rp_${"0".repeat(32)}`
  )
}

export const chunkPart = {
  ...replayPart,
  index: part("The number of the chunk, from 0.", "0")
}

export const replayParts = { ...projectPart, ...replayPart }

export const rehearsalParts = {
  ...projectPart,
  rehearsalId: part("The id of a rehearsal.", "rh_0123456789abcdef")
}

export const tokenPart = { tokenId: part("The id of a login.", "tok_0123456789abcdef") }

export const invitationPart = {
  invitationId: part("The invitation's id, which is not its code.", "inv_0123456789abcdef")
}

export const runnerPart = {
  runner: part("The runner's address, or `alone` for one that has none.", "10.0.0.7:34431")
}

export const userCodePart = {
  userCode: part("The code that the device shows.", "7K3P-V0QA")
}
