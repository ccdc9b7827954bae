import { MinuteMs, count, span } from "@atrium/wire/limits/Limit"

/** API keys. */
export const KeyLimits = {
  keyLabelChars: count("Characters of the label of an API key (D-17)", {
    max: 100,
    per: "key",
    past: "E_BAD_REQUEST"
  }),
  keyUseWrites: span("Time between two writes of when an API key was last used (D-18)", {
    ms: MinuteMs,
    per: "key",
    past: "the use is written"
  })
} as const
