"""What can be searched: Go, and simulated game trees."""
