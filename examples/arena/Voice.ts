import type { ClientRoom } from "@atrium/sdk/client"
import { voice, type VoiceCall, VoiceError } from "@atrium/sdk/voice"

import { nameOf } from "./Field.ts"
import type { arena } from "./schema.ts"

type Room = ClientRoom<typeof arena>

/** From so many units on, players do not hear each other. */
const EarshotUnits = 60
const TalkKey = "KeyV"

/** The parts of the page that voice has. */
interface VoicePart {
  readonly button: HTMLButtonElement
  readonly note: HTMLElement
  /** Whether a key is meant for the game. */
  readonly isPlayed: (event: KeyboardEvent) => boolean
}

/** A button joins the call of the room. From then on it talks while it is held, as the key V does. */
export const offerVoice = (room: Room, part: VoicePart): void => {
  const { button, note } = part
  offer(room, part)
  if (navigator.mediaDevices !== undefined) return
  button.disabled = true
  note.textContent = "Browsers give a microphone to pages of HTTPS and of localhost alone."
}

const joinCall = async (room: Room, part: VoicePart): Promise<void> => {
  const { button, note } = part
  button.disabled = true
  note.textContent = "Joining …"
  try {
    const call = await voice.join(room, {
      muted: true,
      pan: { collection: "players", client: "client", range: EarshotUnits }
    })
    talkWhileHeld(call, part)
    call.onChange(() => (note.textContent = noteOf(room, call)))
    call.onEnd((_code, message) => {
      note.textContent = message
      offer(room, part)
    })
    note.textContent = noteOf(room, call)
  } catch (error) {
    note.textContent = error instanceof VoiceError ? error.message : String(error)
    offer(room, part)
  }
}

const offer = (room: Room, part: VoicePart): void => {
  const { button } = part
  button.disabled = false
  button.textContent = "Join the call"
  button.addEventListener("click", () => void joinCall(room, part), { once: true })
}

/** Push-to-talk: the microphone is silent but for as long as the button or the key is held. */
const talkWhileHeld = (call: VoiceCall, { button, isPlayed }: VoicePart): void => {
  const over = new AbortController()
  const { signal } = over
  const talk = (talking: boolean): void => {
    call.mute(!talking)
    button.classList.toggle("on", talking)
    button.textContent = talking ? "You are heard" : "Hold to talk, or hold V"
  }
  const silence = (): void => talk(false)
  button.disabled = false
  silence()
  button.addEventListener("pointerdown", () => talk(true), { signal })
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    button.addEventListener(end, silence, { signal })
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.code !== TalkKey) return
    // Also over the chat and beside Ctrl: the microphone never outlasts the key.
    if (event.type === "keyup") silence()
    else if (isPlayed(event)) talk(true)
  }
  document.addEventListener("keydown", onKey, { signal })
  document.addEventListener("keyup", onKey, { signal })
  // A key that is let go elsewhere is not heard.
  window.addEventListener("blur", silence, { signal })
  call.onEnd(() => {
    button.classList.remove("on")
    over.abort()
  })
}

const noteOf = (room: Room, call: VoiceCall): string => {
  if (!call.connected) return "The call is gone. Trying again …"
  const speaking = new Set(call.speakers)
  const names = [...room.state.players]
    .filter(({ client }) => client !== room.sessionId && call.participants.includes(client))
    .map((player) => (speaking.has(player.client) ? `${nameOf(player)} (talks)` : nameOf(player)))
  return names.length === 0 ? "Nobody else is in the call." : `In the call: ${names.join(", ")}`
}
