/** Players of a room talk with each other: `@atrium/sdk/voice`. */
export { voice, type VoiceOptions, type VoicePan } from "./voice/Voice.ts"
export type { VoiceCall } from "./voice/VoiceCall.ts"
export { VoiceError } from "./voice/VoiceError.ts"
