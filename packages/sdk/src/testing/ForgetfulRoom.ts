import { defineRoom } from "@atrium/runtime/room/DefineRoom"
import { RpcError } from "@atrium/runtime/room/RpcError"
import { defineSchema } from "@atrium/wire/schema/DefineSchema"
import { s } from "@atrium/wire/schema/FieldKinds"

import { secretWord } from "./ForgetfulWord.ts"

export const forgetful = defineSchema({
  type: "forgetful",
  singletons: { word: { letters: s.u8() } },
  rpc: {
    client: { hide: { args: { word: s.string(32) } }, guess: { args: { word: s.string(32) } } }
  }
})

/** For tests: a room that keeps its secret word in a variable of a module, where a sleep loses it. */
export const forgetfulRoom = defineRoom(forgetful, {
  rpc: {
    hide(room, _, { word }) {
      secretWord.is = word
      room.state.word.letters = word.length
    },
    guess(_room, _client, { word }) {
      if (secretWord.is !== word) throw new RpcError("E_WRONG", `the word is ${secretWord.is}`)
    }
  }
})
