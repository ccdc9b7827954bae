export const meters = ["roomHours", "voiceMinutes", "storageBytes", "dataOutBytes"] as const
