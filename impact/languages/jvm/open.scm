; only: kotlin
(companion_object (delegation_specifiers) @open.owner)
