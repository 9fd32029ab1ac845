# What is examined, in the same words at every step; each of the other files reads this one.
candidate=${VIVA_CANDIDATE:-chat:qwen2.5@http://localhost:8000/v1}
examination=("$candidate" --scope arithmetic --questions 640)
shards=${VIVA_SHARDS:-64}
