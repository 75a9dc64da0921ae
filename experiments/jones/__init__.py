"""Jones 2021: searches on simulated trees (section 4), ESPRIT and waves on Go."""
