import type { RunnerMedia } from "@atrium/actors/voice/RunnerMedia"
import type { VoiceCalls } from "@atrium/actors/voice/VoiceCalls"

/** What the calls of a world are made of: the product's parts, or ones that are wrong on purpose. */
export interface VoiceParts {
  /** Changes the calls of a runner. */
  readonly calls: (calls: VoiceCalls["Service"]) => VoiceCalls["Service"]
  /** Changes the media of a runner, as its calls see them. */
  readonly media: (media: RunnerMedia["Service"]) => RunnerMedia["Service"]
}

export const rightVoice: VoiceParts = {
  calls: (calls) => calls,
  media: (media) => media
}
