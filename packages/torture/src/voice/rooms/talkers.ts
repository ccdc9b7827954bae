import { defineRoom } from "@atrium/sdk/room"

import { talkers } from "./talkersSchema.ts"

export const talkersRoom = defineRoom(talkers, {})
